// CoreGraphics, as far as this package uses it. The geometry itself is CoreFoundation's.
#ifndef COREGRAPHICS_H
#define COREGRAPHICS_H

#include <CoreFoundation/CoreFoundation.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

#define CG_EXTERN extern

// MARK: Objects

typedef struct CF_BRIDGED_TYPE(id) CGImage *CGImageRef;
typedef struct CF_BRIDGED_TYPE(id) CGColor *CGColorRef;

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
