// The beginning of a public structure of GLib's whose fields have no functions: part of its binary interface.

#include <stdint.h>

typedef struct {
    uint32_t domain;
    int code;
    char *message;
} CGIOError;
