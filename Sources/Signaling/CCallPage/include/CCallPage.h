#ifndef CCALLPAGE_H
#define CCALLPAGE_H

#include <stddef.h>

// A file of the call page, as part of the program.
typedef struct {
    // As a browser asks for it, such as "/call/call.js".
    const char *path;
    const unsigned char *bytes;
    size_t count;
} CCallPageFile;

extern const CCallPageFile *const ccallpage_files;
extern const size_t ccallpage_count;

#endif
