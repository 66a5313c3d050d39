#define _GNU_SOURCE
#include "CGIO.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "CGIOLayout.h"

const CGIOLibrary *cgio_load(const char *name, char *reason, size_t size) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *error = dlerror();
        snprintf(reason, size, "%s", error ? error : name);
        return NULL;
    }
    CGIOLibrary *library = calloc(1, sizeof *library);
    const char *missing = library ? NULL : "room in memory";
    // Functions of the libraries that it depends on are found by its handle too.
#define FIND(function) \
    if (!missing && !(library->function = (__typeof__(library->function))dlsym(handle, #function))) missing = #function;
    CGIO_FUNCTIONS(FIND)
#undef FIND
    if (!missing) return library;
    snprintf(reason, size, "%s has no %s", name, missing);
    free(library);
    // It stays loaded: types that it has registered by now cannot be taken back.
    return NULL;
}

const char *cgio_error_message(const GError *error) {
    const char *message = ((const CGIOError *)error)->message;
    return message ? message : "an error without a message";
}

#endif
