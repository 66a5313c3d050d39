// CoreVideo, as far as this package uses it.
#ifndef COREVIDEO_H
#define COREVIDEO_H

#include <CoreFoundation/CoreFoundation.h>
#include <stdint.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

#define CV_EXPORT extern

typedef int32_t CVReturn;
enum : CVReturn {
    kCVReturnSuccess = 0,
};

typedef uint64_t CVOptionFlags;

// MARK: Buffers

typedef struct CF_BRIDGED_TYPE(id) __CVBuffer *CVBufferRef;
typedef CVBufferRef CVImageBufferRef;
typedef CVImageBufferRef CVPixelBufferRef;

typedef CF_OPTIONS(CVOptionFlags, CVPixelBufferLockFlags) {
    kCVPixelBufferLock_ReadOnly = 0x00000001,
};

CF_ENUM(OSType) {
    kCVPixelFormatType_32BGRA = 'BGRA',
    kCVPixelFormatType_420YpCbCr8Planar = 'y420',
    kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange = '420v',
    kCVPixelFormatType_420YpCbCr8BiPlanarFullRange = '420f',
};

CV_EXPORT const CFStringRef kCVPixelBufferPixelFormatTypeKey;
CV_EXPORT const CFStringRef kCVPixelBufferIOSurfacePropertiesKey;

CV_EXPORT CVReturn CVPixelBufferCreate(
    CFAllocatorRef _Nullable allocator, size_t width, size_t height, OSType pixelFormatType,
    CFDictionaryRef _Nullable pixelBufferAttributes,
    CF_RETURNS_RETAINED CVPixelBufferRef _Nullable *_Nonnull pixelBufferOut);
CV_EXPORT CVReturn CVPixelBufferLockBaseAddress(CVPixelBufferRef pixelBuffer, CVPixelBufferLockFlags lockFlags);
CV_EXPORT CVReturn CVPixelBufferUnlockBaseAddress(CVPixelBufferRef pixelBuffer, CVPixelBufferLockFlags unlockFlags);
CV_EXPORT size_t CVPixelBufferGetWidth(CVPixelBufferRef pixelBuffer);
CV_EXPORT size_t CVPixelBufferGetHeight(CVPixelBufferRef pixelBuffer);
CV_EXPORT OSType CVPixelBufferGetPixelFormatType(CVPixelBufferRef pixelBuffer);
CV_EXPORT void *_Nullable CVPixelBufferGetBaseAddress(CVPixelBufferRef pixelBuffer);
CV_EXPORT size_t CVPixelBufferGetBytesPerRow(CVPixelBufferRef pixelBuffer);
CV_EXPORT void *_Nullable CVPixelBufferGetBaseAddressOfPlane(CVPixelBufferRef pixelBuffer, size_t planeIndex);
CV_EXPORT size_t CVPixelBufferGetHeightOfPlane(CVPixelBufferRef pixelBuffer, size_t planeIndex);
CV_EXPORT size_t CVPixelBufferGetBytesPerRowOfPlane(CVPixelBufferRef pixelBuffer, size_t planeIndex);

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
