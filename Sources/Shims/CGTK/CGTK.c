#define _GNU_SOURCE
#include "CGTK.h"

#if defined(__linux__)

#include "../LoadedLibrary.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

const CGTKLibrary *cgtk_load(const char *name, char *reason, size_t size) {
    LIBRARY_LOAD(CGTKLibrary, CGTK_FUNCTIONS(LIBRARY_FIND))
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
