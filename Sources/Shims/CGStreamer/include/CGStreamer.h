#ifndef CGSTREAMER_H
#define CGSTREAMER_H

// GStreamer 1.x: the functions that this package calls, found when the program runs. Nothing of GStreamer has to be there
// to build; a machine without it runs the program all the same, without films, cameras, microphones, loudspeakers and
// recordings.
//
// The declarations are those of GStreamer's stable interface. Scripts/check-headers compiles this file behind GStreamer's
// own headers, where a difference is an error.

#if defined(__linux__)

#include <stddef.h>
#include <stdint.h>

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

typedef struct _GError GError;
typedef struct _GClosure GClosure;
typedef struct _GList GList;
typedef struct _GObject GObject;
typedef struct _GstMiniObject GstMiniObject;
typedef struct _GstObject GstObject;
typedef struct _GstElement GstElement;
typedef struct _GstElementFactory GstElementFactory;
typedef struct _GstBin GstBin;
typedef struct _GstPipeline GstPipeline;
typedef struct _GstPad GstPad;
typedef struct _GstBus GstBus;
typedef struct _GstClock GstClock;
typedef struct _GstMessage GstMessage;
typedef struct _GstCaps GstCaps;
typedef struct _GstStructure GstStructure;
typedef struct _GstSample GstSample;
typedef struct _GstSegment GstSegment;
typedef struct _GstBuffer GstBuffer;
typedef struct _GstMeta GstMeta;
typedef struct _GstQuery GstQuery;
typedef struct _GstAllocator GstAllocator;
typedef struct _GstAllocationParams GstAllocationParams;
typedef struct _GstAppSink GstAppSink;
typedef struct _GstAppSrc GstAppSrc;
typedef struct _GstDevice GstDevice;
typedef struct _GstDeviceProvider GstDeviceProvider;

typedef void (*GCallback)(void);
typedef void (*GClosureNotify)(void *data, GClosure *closure);

// GLib and GObject.
void g_free(void *memory);
void g_error_free(GError *error);
unsigned long g_signal_connect_data(
    void *instance, const char *detailed_signal, GCallback c_handler, void *data, GClosureNotify destroy_data,
    unsigned connect_flags);
void g_list_free(GList *list);
size_t g_type_from_name(const char *name);

// GStreamer.
int gst_init_check(int *argc, char ***argv, GError **error);
char *gst_version_string(void);
void *gst_object_ref(void *object);
void gst_object_unref(void *object);
GstMiniObject *gst_mini_object_ref(GstMiniObject *object);
void gst_mini_object_unref(GstMiniObject *object);
void gst_util_set_object_arg(GObject *object, const char *name, const char *value);

GstElement *gst_parse_launch(const char *description, GError **error);
GstElement *gst_parse_bin_from_description(const char *description, int ghost_unlinked_pads, GError **error);
GstElementFactory *gst_element_factory_find(const char *name);
GstElement *gst_element_factory_make(const char *factory, const char *name);

unsigned gst_element_set_state(GstElement *element, unsigned state);
unsigned gst_element_get_state(GstElement *element, unsigned *state, unsigned *pending, uint64_t timeout);
int gst_element_sync_state_with_parent(GstElement *element);
GstBus *gst_element_get_bus(GstElement *element);
GstPad *gst_element_get_static_pad(GstElement *element, const char *name);
int gst_element_seek_simple(GstElement *element, unsigned format, unsigned flags, int64_t position);
int gst_element_query_duration(GstElement *element, unsigned format, int64_t *duration);
int gst_element_query(GstElement *element, GstQuery *query);
GstQuery *gst_query_new_latency(void);
void gst_query_parse_latency(GstQuery *query, int *is_live, uint64_t *least, uint64_t *most);
void gst_element_set_base_time(GstElement *element, uint64_t time);
void gst_element_set_start_time(GstElement *element, uint64_t time);
int gst_bin_add(GstBin *bin, GstElement *element);
GstElement *gst_bin_get_by_name(GstBin *bin, const char *name);
void gst_pipeline_use_clock(GstPipeline *pipeline, GstClock *clock);
GstClock *gst_system_clock_obtain(void);

GstCaps *gst_pad_get_current_caps(GstPad *pad);
GstCaps *gst_pad_query_caps(GstPad *pad, GstCaps *filter);
int gst_pad_link(GstPad *source, GstPad *sink);
int gst_pad_is_linked(GstPad *pad);

GstMessage *gst_bus_timed_pop_filtered(GstBus *bus, uint64_t timeout, int types);
int gst_bus_post(GstBus *bus, GstMessage *message);
GstMessage *gst_message_new_application(GstObject *source, GstStructure *structure);
void gst_message_parse_error(GstMessage *message, GError **error, char **debug);

GstCaps *gst_caps_from_string(const char *text);
GstStructure *gst_caps_get_structure(const GstCaps *caps, unsigned index);
const char *gst_structure_get_name(const GstStructure *structure);
int gst_structure_get_int(const GstStructure *structure, const char *field, int *value);
int gst_structure_get_fraction(const GstStructure *structure, const char *field, int *numerator, int *denominator);

char *gst_structure_to_string(const GstStructure *structure);
const char *gst_structure_get_string(const GstStructure *structure, const char *field);
void gst_structure_free(GstStructure *structure);
char *gst_caps_to_string(const GstCaps *caps);

GstDeviceProvider *gst_device_provider_factory_get_by_name(const char *name);
int gst_device_provider_start(GstDeviceProvider *provider);
void gst_device_provider_stop(GstDeviceProvider *provider);
GstBus *gst_device_provider_get_bus(GstDeviceProvider *provider);
GList *gst_device_provider_get_devices(GstDeviceProvider *provider);
char *gst_device_get_display_name(GstDevice *device);
char *gst_device_get_device_class(GstDevice *device);
GstCaps *gst_device_get_caps(GstDevice *device);
GstStructure *gst_device_get_properties(GstDevice *device);
void gst_message_parse_device_added(GstMessage *message, GstDevice **device);
void gst_message_parse_device_removed(GstMessage *message, GstDevice **device);
void gst_message_parse_device_changed(GstMessage *message, GstDevice **device, GstDevice **changed);

GstBuffer *gst_sample_get_buffer(GstSample *sample);
GstCaps *gst_sample_get_caps(GstSample *sample);
GstSegment *gst_sample_get_segment(GstSample *sample);
uint64_t gst_segment_to_running_time(const GstSegment *segment, unsigned format, uint64_t position);
GstBuffer *gst_buffer_new_allocate(GstAllocator *allocator, size_t size, GstAllocationParams *parameters);

GstMeta *gst_buffer_get_meta(GstBuffer *buffer, size_t api);

GstSample *gst_app_sink_try_pull_sample(GstAppSink *sink, uint64_t timeout);
int gst_app_sink_is_eos(GstAppSink *sink);
int gst_app_src_push_buffer(GstAppSrc *source, GstBuffer *buffer);
int gst_app_src_end_of_stream(GstAppSrc *source);
uint64_t gst_app_src_get_current_level_bytes(GstAppSrc *source);

// Memory of a buffer, while it is mapped.
typedef struct {
    void *memory;
    unsigned flags;
    uint8_t *data;
    size_t size;
    size_t maxsize;
    void *user_data[4];
    void *reserved[4];
} CGSTMap;

// What a bus is waited for with, by poll().
typedef struct {
    int fd;
    unsigned short events;
    unsigned short revents;
} CGSTPoll;

// A value of any type.
typedef struct {
    size_t type;
    uint64_t data[2];
} CGSTValue;
static const size_t CGST_TYPE_STRING = 16 << 2;

#ifdef __GST_H__
#define CGST_MAP GstMapInfo
#define CGST_POLL GPollFD
#define CGST_VALUE GValue
#else
#define CGST_MAP CGSTMap
#define CGST_POLL CGSTPoll
#define CGST_VALUE CGSTValue
#endif
void gst_bus_get_pollfd(GstBus *bus, CGST_POLL *descriptor);
CGST_VALUE *g_value_init(CGST_VALUE *value, size_t type);
void g_value_unset(CGST_VALUE *value);
const char *g_value_get_string(const CGST_VALUE *value);
void g_object_get_property(GObject *object, const char *name, CGST_VALUE *value);
int gst_buffer_map(GstBuffer *buffer, CGST_MAP *map, unsigned flags);
void gst_buffer_unmap(GstBuffer *buffer, CGST_MAP *map);

#define CGST_FUNCTIONS(F) \
    F(g_free) F(g_error_free) F(g_signal_connect_data) F(gst_init_check) F(gst_version_string) F(gst_object_ref) \
    F(gst_object_unref) F(gst_mini_object_unref) F(gst_util_set_object_arg) F(gst_parse_launch) \
    F(gst_parse_bin_from_description) F(gst_element_factory_find) F(gst_element_factory_make) \
    F(gst_element_set_state) F(gst_element_get_state) F(gst_element_sync_state_with_parent) F(gst_element_get_bus) \
    F(gst_element_get_static_pad) F(gst_element_seek_simple) F(gst_element_query_duration) \
    F(gst_element_set_base_time) F(gst_element_set_start_time) F(gst_bin_add) F(gst_bin_get_by_name) \
    F(gst_pipeline_use_clock) F(gst_system_clock_obtain) F(gst_pad_get_current_caps) F(gst_pad_query_caps) \
    F(gst_pad_link) F(gst_pad_is_linked) F(gst_bus_timed_pop_filtered) F(gst_bus_post) \
    F(gst_message_new_application) F(gst_message_parse_error) F(gst_caps_from_string) F(gst_caps_get_structure) \
    F(gst_structure_get_name) F(gst_structure_get_int) F(gst_structure_get_fraction) F(gst_sample_get_buffer) \
    F(gst_sample_get_caps) F(gst_sample_get_segment) F(gst_segment_to_running_time) F(gst_buffer_new_allocate) \
    F(gst_buffer_map) F(gst_buffer_unmap) F(gst_app_sink_try_pull_sample) F(gst_app_sink_is_eos) \
    F(gst_app_src_push_buffer) F(gst_app_src_end_of_stream) F(gst_app_src_get_current_level_bytes) F(g_list_free) \
    F(gst_mini_object_ref) F(gst_structure_to_string) F(gst_structure_get_string) F(gst_structure_free) \
    F(gst_caps_to_string) F(gst_device_provider_factory_get_by_name) F(gst_device_provider_start) \
    F(gst_device_provider_stop) F(gst_device_provider_get_bus) F(gst_device_provider_get_devices) \
    F(gst_device_get_display_name) F(gst_device_get_device_class) F(gst_device_get_caps) F(gst_device_get_properties) \
    F(gst_message_parse_device_added) F(gst_message_parse_device_removed) F(gst_message_parse_device_changed) \
    F(gst_bus_get_pollfd) F(g_value_init) F(g_value_unset) F(g_value_get_string) F(g_object_get_property) \
    F(g_type_from_name) F(gst_buffer_get_meta) F(gst_element_query) F(gst_query_new_latency) F(gst_query_parse_latency)

// The functions of the loaded library, which stays loaded. All are there once it is loaded.
typedef struct {
#define CGST_FIELD(function) __typeof__(function) *_Nonnull function;
    CGST_FUNCTIONS(CGST_FIELD)
#undef CGST_FIELD
} CGSTLibrary;

// Loads the library called `name`, and returns its functions, valid for ever; or writes a sentence into `reason`, of `size`
// bytes, and returns NULL.
const CGSTLibrary *_Nullable cgst_load(const char *_Nonnull name, char *_Nonnull reason, size_t size);

// The sentence of an error that a function of GLib gave.
const char *_Nonnull cgst_error_message(const GError *_Nonnull error);

// When a buffer is to be presented, in nanoseconds; CGST_NO_TIME when it does not say.
uint64_t cgst_buffer_time(const GstBuffer *_Nonnull buffer);
uint64_t cgst_buffer_duration(const GstBuffer *_Nonnull buffer);
void cgst_buffer_set_time(GstBuffer *_Nonnull buffer, uint64_t time, uint64_t duration);
static const uint64_t CGST_NO_TIME = UINT64_MAX;

// How the planes of a picture lie in its buffer: where each begins, and how many bytes there are from one row to the next.
typedef struct {
    unsigned planes;
    size_t offset[4];
    int stride[4];
} CGSTVideoLayout;

// Returns 0 when the buffer does not say.
int cgst_buffer_video_layout(
    const CGSTLibrary *_Nonnull library, GstBuffer *_Nonnull buffer, CGSTVideoLayout *_Nonnull layout);

// The first entry of a list, and the list behind it; NULL at its end.
void *_Nullable cgst_list_entry(const GList *_Nonnull list);
const GList *_Nullable cgst_list_rest(const GList *_Nonnull list);

// A property that is a text, into `text`, of `size` bytes, with a zero at its end; 0 when there is none, or it is longer.
int cgst_text_property(
    const CGSTLibrary *_Nonnull library, void *_Nonnull object, const char *_Nonnull name, char *_Nonnull text, size_t size);

// Gives the calling thread a name of up to 15 characters, for debuggers.
void cgst_name_thread(const char *_Nonnull name);

// What a message is: one bit, as GstMessageType has it.
unsigned cgst_message_type(const GstMessage *_Nonnull message);

#pragma clang diagnostic pop

#endif
#endif
