// The beginnings of GStreamer's public structures whose fields have no functions: part of its binary interface, which all
// versions 1.x keep.

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t domain;
    int code;
    char *message;
} CGSTError;

typedef struct {
    size_t type;
    int reference_count, lock_state;
    unsigned flags;
    void *copy, *dispose, *free;
    unsigned private_count;
    void *private_data;
} CGSTMiniObject;

typedef struct {
    CGSTMiniObject object;
    void *pool;
    uint64_t pts, dts, duration;
} CGSTBuffer;

typedef struct {
    CGSTMiniObject object;
    unsigned type;
} CGSTMessage;

typedef struct {
    unsigned flags;
    const void *info;
    GstBuffer *buffer;
    unsigned frame_flags, format;
    int id;
    unsigned width, height, n_planes;
    size_t offset[4];
    int stride[4];
} CGSTVideoMeta;

typedef struct {
    void *data;
    const GList *next, *previous;
} CGSTList;
