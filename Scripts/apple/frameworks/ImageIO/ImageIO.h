// ImageIO, as far as this package uses it.
#ifndef IMAGEIO_H
#define IMAGEIO_H

#include <CoreFoundation/CoreFoundation.h>
#include <CoreGraphics/CoreGraphics.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

#define IMAGEIO_EXTERN extern

typedef CF_CLOSED_ENUM(uint32_t, CGImagePropertyOrientation) {
    kCGImagePropertyOrientationUp = 1,
    kCGImagePropertyOrientationUpMirrored,
    kCGImagePropertyOrientationDown,
    kCGImagePropertyOrientationDownMirrored,
    kCGImagePropertyOrientationLeftMirrored,
    kCGImagePropertyOrientationRight,
    kCGImagePropertyOrientationRightMirrored,
    kCGImagePropertyOrientationLeft,
};

IMAGEIO_EXTERN const CFStringRef kCGImagePropertyOrientation;
IMAGEIO_EXTERN const CFStringRef kCGImageDestinationLossyCompressionQuality;

typedef struct CF_BRIDGED_TYPE(id) CGImageDestination *CGImageDestinationRef;

IMAGEIO_EXTERN CGImageDestinationRef _Nullable CGImageDestinationCreateWithData(
    CFMutableDataRef data, CFStringRef type, size_t count, CFDictionaryRef _Nullable options);
IMAGEIO_EXTERN void CGImageDestinationAddImage(
    CGImageDestinationRef idst, CGImageRef image, CFDictionaryRef _Nullable properties);
IMAGEIO_EXTERN bool CGImageDestinationFinalize(CGImageDestinationRef idst);

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
