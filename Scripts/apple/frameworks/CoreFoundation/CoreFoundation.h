// Core Foundation, as far as this package uses it.
#ifndef COREFOUNDATION_H
#define COREFOUNDATION_H

#include <CoreFoundation/CFBase.h>
#include <CoreFoundation/CFCGTypes.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

typedef const struct CF_BRIDGED_TYPE(NSString) __CFString *CFStringRef;
typedef struct CF_BRIDGED_MUTABLE_TYPE(NSMutableString) __CFString *CFMutableStringRef;
typedef const struct CF_BRIDGED_TYPE(id) __CFAllocator *CFAllocatorRef;
typedef const struct CF_BRIDGED_TYPE(NSNumber) __CFBoolean *CFBooleanRef;
typedef const struct CF_BRIDGED_TYPE(NSNumber) __CFNumber *CFNumberRef;
typedef const struct CF_BRIDGED_TYPE(NSData) __CFData *CFDataRef;
typedef struct CF_BRIDGED_MUTABLE_TYPE(NSMutableData) __CFData *CFMutableDataRef;
typedef const struct CF_BRIDGED_TYPE(NSArray) __CFArray *CFArrayRef;
typedef struct CF_BRIDGED_MUTABLE_TYPE(NSMutableArray) __CFArray *CFMutableArrayRef;
typedef const struct CF_BRIDGED_TYPE(NSDictionary) __CFDictionary *CFDictionaryRef;
typedef struct CF_BRIDGED_MUTABLE_TYPE(NSMutableDictionary) __CFDictionary *CFMutableDictionaryRef;
typedef const struct CF_BRIDGED_TYPE(NSDate) __CFDate *CFDateRef;
typedef const struct CF_BRIDGED_TYPE(NSURL) __CFURL *CFURLRef;
typedef struct CF_BRIDGED_TYPE(NSError) __CFError *CFErrorRef;
typedef double CFTimeInterval;
typedef CFTimeInterval CFAbsoluteTime;

typedef struct CF_BRIDGED_MUTABLE_TYPE(id) __CFRunLoop *CFRunLoopRef;
typedef CFStringRef CFRunLoopMode CF_EXTENSIBLE_STRING_ENUM;
CF_EXPORT const CFRunLoopMode _Null_unspecified kCFRunLoopDefaultMode;
CF_EXPORT const CFRunLoopMode _Null_unspecified kCFRunLoopCommonModes;
typedef CF_ENUM(SInt32, CFRunLoopRunResult) {
    kCFRunLoopRunFinished = 1,
    kCFRunLoopRunStopped = 2,
    kCFRunLoopRunTimedOut = 3,
    kCFRunLoopRunHandledSource = 4
};
CF_EXPORT CFRunLoopRunResult CFRunLoopRunInMode(
    CFRunLoopMode _Null_unspecified mode, CFTimeInterval seconds, Boolean returnAfterSourceHandled);

typedef struct {
    CFIndex location;
    CFIndex length;
} CFRange;

CF_EXPORT CFTypeID CFGetTypeID(CFTypeRef cf);
CF_EXPORT CFTypeRef CFRetain(CFTypeRef cf) CF_SWIFT_UNAVAILABLE("Core Foundation objects are automatically memory managed");
CF_EXPORT void CFRelease(CFTypeRef cf) CF_SWIFT_UNAVAILABLE("Core Foundation objects are automatically memory managed");
CF_EXPORT Boolean CFEqual(CFTypeRef cf1, CFTypeRef cf2);

CF_EXPORT const CFAllocatorRef _Null_unspecified kCFAllocatorDefault;
CF_EXPORT const CFAllocatorRef _Null_unspecified kCFAllocatorNull;
CF_EXPORT const CFAllocatorRef _Null_unspecified kCFAllocatorMalloc;

CF_EXPORT const CFBooleanRef _Null_unspecified kCFBooleanTrue;
CF_EXPORT const CFBooleanRef _Null_unspecified kCFBooleanFalse;
CF_EXPORT CFTypeID CFBooleanGetTypeID(void);
CF_EXPORT Boolean CFBooleanGetValue(CFBooleanRef boolean);

typedef CF_ENUM(CFIndex, CFNumberType) {
    kCFNumberSInt8Type = 1,
    kCFNumberSInt16Type = 2,
    kCFNumberSInt32Type = 3,
    kCFNumberSInt64Type = 4,
    kCFNumberFloat32Type = 5,
    kCFNumberFloat64Type = 6,
    kCFNumberCharType = 7,
    kCFNumberShortType = 8,
    kCFNumberIntType = 9,
    kCFNumberLongType = 10,
    kCFNumberLongLongType = 11,
    kCFNumberFloatType = 12,
    kCFNumberDoubleType = 13,
    kCFNumberCFIndexType = 14,
    kCFNumberNSIntegerType = 15,
    kCFNumberCGFloatType = 16,
    kCFNumberMaxType = 16
};
CF_EXPORT CFTypeID CFNumberGetTypeID(void);
CF_EXPORT CFNumberRef _Null_unspecified CFNumberCreate(
    CFAllocatorRef _Null_unspecified allocator, CFNumberType theType, const void *_Null_unspecified valuePtr);
CF_EXPORT Boolean CFNumberGetValue(CFNumberRef _Null_unspecified number, CFNumberType theType, void *_Null_unspecified valuePtr);

typedef UInt32 CFStringEncoding;
typedef CF_ENUM(CFStringEncoding, CFStringBuiltInEncodings) {
    kCFStringEncodingMacRoman = 0,
    kCFStringEncodingWindowsLatin1 = 0x0500,
    kCFStringEncodingISOLatin1 = 0x0201,
    kCFStringEncodingNextStepLatin = 0x0B01,
    kCFStringEncodingASCII = 0x0600,
    kCFStringEncodingUnicode = 0x0100,
    kCFStringEncodingUTF8 = 0x08000100,
    kCFStringEncodingNonLossyASCII = 0x0BFF,
    kCFStringEncodingUTF16 = 0x0100,
    kCFStringEncodingUTF16BE = 0x10000100,
    kCFStringEncodingUTF16LE = 0x14000100,
    kCFStringEncodingUTF32 = 0x0c000100,
    kCFStringEncodingUTF32BE = 0x18000100,
    kCFStringEncodingUTF32LE = 0x1c000100
};
CF_EXPORT CFTypeID CFStringGetTypeID(void);
CF_EXPORT CFStringRef _Null_unspecified CFStringCreateWithBytes(
    CFAllocatorRef _Null_unspecified alloc, const UInt8 *_Null_unspecified bytes, CFIndex numBytes, CFStringEncoding encoding,
    Boolean isExternalRepresentation);
CF_EXPORT CFIndex CFStringGetLength(CFStringRef _Null_unspecified theString);
CF_EXPORT Boolean CFStringGetCString(
    CFStringRef _Null_unspecified theString, char *_Null_unspecified buffer, CFIndex bufferSize, CFStringEncoding encoding);
CF_EXPORT CFIndex CFStringGetMaximumSizeForEncoding(CFIndex length, CFStringEncoding encoding);

CF_EXPORT CFTypeID CFDataGetTypeID(void);
CF_EXPORT CFDataRef _Null_unspecified CFDataCreate(
    CFAllocatorRef _Null_unspecified allocator, const UInt8 *_Null_unspecified bytes, CFIndex length);
CF_EXPORT CFMutableDataRef _Null_unspecified CFDataCreateMutable(CFAllocatorRef _Null_unspecified allocator, CFIndex capacity);
CF_EXPORT CFIndex CFDataGetLength(CFDataRef _Null_unspecified theData);
CF_EXPORT const UInt8 *_Null_unspecified CFDataGetBytePtr(CFDataRef _Null_unspecified theData);

typedef struct {
    CFIndex version;
    const void *_Null_unspecified (*_Null_unspecified retain)(CFAllocatorRef _Null_unspecified allocator, const void *_Null_unspecified value);
    void (*_Null_unspecified release)(CFAllocatorRef _Null_unspecified allocator, const void *_Null_unspecified value);
    CFStringRef _Null_unspecified (*_Null_unspecified copyDescription)(const void *_Null_unspecified value);
    Boolean (*_Null_unspecified equal)(const void *_Null_unspecified value1, const void *_Null_unspecified value2);
} CFArrayCallBacks;
CF_EXPORT const CFArrayCallBacks kCFTypeArrayCallBacks;
CF_EXPORT CFTypeID CFArrayGetTypeID(void);
CF_EXPORT CFArrayRef _Null_unspecified CFArrayCreate(
    CFAllocatorRef _Null_unspecified allocator, const void *_Null_unspecified *_Null_unspecified values, CFIndex numValues,
    const CFArrayCallBacks *_Null_unspecified callBacks);
CF_EXPORT CFIndex CFArrayGetCount(CFArrayRef _Null_unspecified theArray);
CF_EXPORT const void *_Null_unspecified CFArrayGetValueAtIndex(CFArrayRef _Null_unspecified theArray, CFIndex idx);

typedef struct {
    CFIndex version;
    const void *_Null_unspecified (*_Null_unspecified retain)(CFAllocatorRef _Null_unspecified allocator, const void *_Null_unspecified value);
    void (*_Null_unspecified release)(CFAllocatorRef _Null_unspecified allocator, const void *_Null_unspecified value);
    CFStringRef _Null_unspecified (*_Null_unspecified copyDescription)(const void *_Null_unspecified value);
    Boolean (*_Null_unspecified equal)(const void *_Null_unspecified value1, const void *_Null_unspecified value2);
    CFHashCode (*_Null_unspecified hash)(const void *_Null_unspecified value);
} CFDictionaryKeyCallBacks;
typedef struct {
    CFIndex version;
    const void *_Null_unspecified (*_Null_unspecified retain)(CFAllocatorRef _Null_unspecified allocator, const void *_Null_unspecified value);
    void (*_Null_unspecified release)(CFAllocatorRef _Null_unspecified allocator, const void *_Null_unspecified value);
    CFStringRef _Null_unspecified (*_Null_unspecified copyDescription)(const void *_Null_unspecified value);
    Boolean (*_Null_unspecified equal)(const void *_Null_unspecified value1, const void *_Null_unspecified value2);
} CFDictionaryValueCallBacks;
CF_EXPORT const CFDictionaryKeyCallBacks kCFTypeDictionaryKeyCallBacks;
CF_EXPORT const CFDictionaryValueCallBacks kCFTypeDictionaryValueCallBacks;
CF_EXPORT CFTypeID CFDictionaryGetTypeID(void);
CF_EXPORT CFMutableDictionaryRef _Null_unspecified CFDictionaryCreateMutable(
    CFAllocatorRef _Null_unspecified allocator, CFIndex capacity, const CFDictionaryKeyCallBacks *_Null_unspecified keyCallBacks,
    const CFDictionaryValueCallBacks *_Null_unspecified valueCallBacks);
CF_EXPORT CFIndex CFDictionaryGetCount(CFDictionaryRef _Null_unspecified theDict);
CF_EXPORT const void *_Null_unspecified CFDictionaryGetValue(
    CFDictionaryRef _Null_unspecified theDict, const void *_Null_unspecified key);
CF_EXPORT void CFDictionarySetValue(
    CFMutableDictionaryRef _Null_unspecified theDict, const void *_Null_unspecified key, const void *_Null_unspecified value);

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
