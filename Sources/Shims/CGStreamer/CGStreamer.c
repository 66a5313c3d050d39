#define _GNU_SOURCE
#include "CGStreamer.h"

#if defined(__linux__)

#include "../LoadedLibrary.h"

#include <pthread.h>

const CGSTLibrary *cgst_load(const char *name, char *reason, size_t size) {
    LIBRARY_LOAD(CGSTLibrary, CGST_FUNCTIONS(LIBRARY_FIND))
}

#include "CGStreamerLayout.h"

const char *cgst_error_message(const GError *error) {
    const char *message = ((const CGSTError *)error)->message;
    return message ? message : "an error without a message";
}

uint64_t cgst_buffer_time(const GstBuffer *buffer) { return ((const CGSTBuffer *)buffer)->pts; }

uint64_t cgst_buffer_duration(const GstBuffer *buffer) { return ((const CGSTBuffer *)buffer)->duration; }

void cgst_buffer_set_time(GstBuffer *buffer, uint64_t time, uint64_t duration) {
    ((CGSTBuffer *)buffer)->pts = time;
    ((CGSTBuffer *)buffer)->duration = duration;
}

int cgst_buffer_video_layout(const CGSTLibrary *library, GstBuffer *buffer, CGSTVideoLayout *layout) {
    // Nobody has made such a thing before its type has this name.
    size_t type = library->g_type_from_name("GstVideoMetaAPI");
    const CGSTVideoMeta *meta = type ? (const CGSTVideoMeta *)library->gst_buffer_get_meta(buffer, type) : NULL;
    if (!meta) return 0;
    layout->planes = meta->n_planes;
    for (int i = 0; i < 4; i++) {
        layout->offset[i] = meta->offset[i];
        layout->stride[i] = meta->stride[i];
    }
    return 1;
}

unsigned cgst_message_type(const GstMessage *message) { return ((const CGSTMessage *)message)->type; }

void *cgst_list_entry(const GList *list) { return ((const CGSTList *)list)->data; }

const GList *cgst_list_rest(const GList *list) { return ((const CGSTList *)list)->next; }

int cgst_text_property(const CGSTLibrary *library, void *object, const char *name, char *text, size_t size) {
    CGSTValue value = {0};
    library->g_value_init(&value, CGST_TYPE_STRING);
    library->g_object_get_property(object, name, &value);
    const char *found = library->g_value_get_string(&value);
    int length = found ? snprintf(text, size, "%s", found) : -1;
    library->g_value_unset(&value);
    return length >= 0 && (size_t)length < size;
}

void cgst_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

#endif
