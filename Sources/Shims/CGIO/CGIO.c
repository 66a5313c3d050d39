#define _GNU_SOURCE
#include "CGIO.h"

#if defined(__linux__)

#include "../LoadedLibrary.h"
#include "CGIOLayout.h"

const CGIOLibrary *cgio_load(const char *name, char *reason, size_t size) {
    LIBRARY_LOAD(CGIOLibrary, CGIO_FUNCTIONS(LIBRARY_FIND))
}

const char *cgio_error_message(const GError *error) {
    const char *message = ((const CGIOError *)error)->message;
    return message ? message : "an error without a message";
}

#endif
