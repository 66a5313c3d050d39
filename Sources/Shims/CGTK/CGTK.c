#define _GNU_SOURCE
#include "CGTK.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

const CGTKLibrary *cgtk_load(const char *name, char *reason, size_t size) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *error = dlerror();
        snprintf(reason, size, "%s", error ? error : name);
        return NULL;
    }
    CGTKLibrary *library = calloc(1, sizeof *library);
    const char *missing = library ? NULL : "room in memory";
    // Functions of the libraries that it depends on are found by its handle too.
#define FIND(function) \
    if (!missing && !(library->function = (__typeof__(library->function))dlsym(handle, #function))) missing = #function;
    CGTK_FUNCTIONS(FIND)
#undef FIND
    if (!missing) return library;
    snprintf(reason, size, "%s has no %s", name, missing);
    free(library);
    // It stays loaded: types that it has registered by now cannot be taken back.
    return NULL;
}

struct _GError {
    uint32_t domain;
    int code;
    char *message;
};

const char *cgtk_error_message(const GError *error) {
    return error->message ? error->message : "an error without a message";
}

// Exported by libdispatch for the main loop of Foundation, under these names since it exists for Linux.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);

int cgtk_main_queue_descriptor(void) { return _dispatch_get_main_queue_handle_4CF(); }

void cgtk_main_queue_drain(void) {
    // Before draining, so that what comes meanwhile makes it readable again.
    eventfd_t count;
    eventfd_read(cgtk_main_queue_descriptor(), &count);
    _dispatch_main_queue_callback_4CF(NULL);
}

void cgtk_main_queue_wait(void) {
    struct pollfd entry = {.fd = cgtk_main_queue_descriptor(), .events = POLLIN};
    poll(&entry, 1, -1);
}

int cgtk_is_main_thread(void) { return getpid() == syscall(SYS_gettid); }

#endif
