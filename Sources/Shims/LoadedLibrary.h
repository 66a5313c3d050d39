#ifndef LOADED_LIBRARY_H
#define LOADED_LIBRARY_H

// Loads a library when the program runs. A shim includes this in its source, and says which functions it needs.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/// Opens a library by its name. Returns NULL, with the reason, if it cannot be opened.
static inline void *library_open(const char *name, char *reason, size_t size) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle) return handle;
    const char *error = dlerror();
    snprintf(reason, size, "%s", error ? error : name);
    return NULL;
}

/// The body of `const Table *load(const char *name, char *reason, size_t size)`: returns a new table of a library's functions, or
/// NULL, with the reason, if one is missing. `...` finds each. Those of the libraries that it depends on are found by its handle too.
#define LIBRARY_LOAD(Table, ...) \
    void *handle = library_open(name, reason, size); \
    if (!handle) return NULL; \
    Table *library = calloc(1, sizeof *library); \
    const char *missing = library ? NULL : "room in memory"; \
    __VA_ARGS__ \
    if (!missing) return library; \
    snprintf(reason, size, "%s has no %s", name, missing); \
    free(library); \
    /* It stays loaded: types that it has registered by now cannot be taken back. */ \
    return NULL;

/// Finds a function for the field of the same name.
#define LIBRARY_FIND(function) LIBRARY_FIND_AS(library->function, #function)

/// Finds a function for a pointer of another name.
#define LIBRARY_FIND_AS(pointer, symbol) \
    if (!missing && !(pointer = (__typeof__(pointer))dlsym(handle, symbol))) missing = symbol;

#endif
