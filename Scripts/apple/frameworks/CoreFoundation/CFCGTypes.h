#include <CoreFoundation/CFBase.h>

struct CGPoint {
    CGFloat x;
    CGFloat y;
};
typedef struct __attribute__((objc_boxable)) CGPoint CGPoint;

struct CGSize {
    CGFloat width;
    CGFloat height;
};
typedef struct __attribute__((objc_boxable)) CGSize CGSize;

struct CGVector {
    CGFloat dx;
    CGFloat dy;
};
typedef struct __attribute__((objc_boxable)) CGVector CGVector;

struct CGRect {
    CGPoint origin;
    CGSize size;
};
typedef struct __attribute__((objc_boxable)) CGRect CGRect;

struct CGAffineTransform {
    CGFloat a, b, c, d;
    CGFloat tx, ty;
};
typedef struct CGAffineTransform CGAffineTransform;

