#ifndef COPENH264_H
#define COPENH264_H

#if defined(__linux__)
#include <wels/codec_api.h>
#endif

#endif
