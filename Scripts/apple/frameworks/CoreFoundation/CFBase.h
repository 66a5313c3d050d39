// The words in which headers tell Swift what a declaration is, and Core Foundation's plainest types.
#ifndef COREFOUNDATION_CFBASE_H
#define COREFOUNDATION_CFBASE_H

#include <Availability.h>
#include <TargetConditionals.h>
#include <float.h>
#include <os/availability.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Written C and C++ alike.
#ifdef __cplusplus
#define CF_EXPORT extern "C"
#define FOUNDATION_EXPORT extern "C"
#else
#define CF_EXPORT extern
#define FOUNDATION_EXPORT extern
#endif
#define FOUNDATION_EXTERN FOUNDATION_EXPORT
#define NS_EXPORT

// Nullability and sendability of what does not say it.
#define CF_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define CF_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define NS_ASSUME_NONNULL_BEGIN CF_ASSUME_NONNULL_BEGIN
#define NS_ASSUME_NONNULL_END CF_ASSUME_NONNULL_END
#define NS_HEADER_AUDIT_BEGIN_nullability CF_ASSUME_NONNULL_BEGIN
#define NS_HEADER_AUDIT_END_nullability CF_ASSUME_NONNULL_END
#define NS_HEADER_AUDIT_BEGIN_sendability \
    _Pragma("clang attribute DUET_AUDIT.push(__attribute__((swift_attr(\"@_nonSendable(_assumed)\"))), apply_to = any(objc_interface, record, enum))")
#define NS_HEADER_AUDIT_END_sendability _Pragma("clang attribute DUET_AUDIT.pop")
#define NS_HEADER_AUDIT_BEGIN(first, second) NS_HEADER_AUDIT_BEGIN_##first NS_HEADER_AUDIT_BEGIN_##second
#define NS_HEADER_AUDIT_END(first, second) NS_HEADER_AUDIT_END_##first NS_HEADER_AUDIT_END_##second

// Core Foundation's types and who owns them.
#define CF_BRIDGED_TYPE(T) __attribute__((objc_bridge(T)))
#define CF_BRIDGED_MUTABLE_TYPE(T) __attribute__((objc_bridge_mutable(T)))
#define CF_RELATED_TYPE(T, C, I) __attribute__((objc_bridge_related(T, C, I)))
#define CF_IMPLICIT_BRIDGING_ENABLED _Pragma("clang arc_cf_code_audited begin")
#define CF_IMPLICIT_BRIDGING_DISABLED _Pragma("clang arc_cf_code_audited end")
#define CF_RETURNS_RETAINED __attribute__((cf_returns_retained))
#define CF_RETURNS_NOT_RETAINED __attribute__((cf_returns_not_retained))
#define CF_CONSUMED __attribute__((cf_consumed))
#define CF_RELEASES_ARGUMENT CF_CONSUMED
#define NS_RETURNS_RETAINED __attribute__((ns_returns_retained))
#define NS_RETURNS_INNER_POINTER __attribute__((objc_returns_inner_pointer))
#define CF_NOESCAPE __attribute__((noescape))
#define NS_NOESCAPE CF_NOESCAPE

// Names in Swift, and what Swift does not have.
#define CF_SWIFT_NAME(name) __attribute__((swift_name(#name)))
#define NS_SWIFT_NAME(name) CF_SWIFT_NAME(name)
#define CF_REFINED_FOR_SWIFT __attribute__((swift_private))
#define NS_REFINED_FOR_SWIFT CF_REFINED_FOR_SWIFT
#define CF_SWIFT_UNAVAILABLE(words) __attribute__((availability(swift, unavailable, message = words)))
#define NS_SWIFT_UNAVAILABLE(message) CF_SWIFT_UNAVAILABLE(message)
#define CF_UNAVAILABLE_MESSAGE(message) __attribute__((unavailable(message)))
#define NS_UNAVAILABLE __attribute__((unavailable))
#define NS_SWIFT_BRIDGED(name) __attribute__((swift_bridge(name)))
#define NS_SWIFT_NOTHROW __attribute__((swift_error(none)))

// Isolation.
#define NS_SWIFT_UI_ACTOR __attribute__((swift_attr("@UIActor")))
#define NS_SWIFT_NONISOLATED __attribute__((swift_attr("nonisolated")))
#define CF_SWIFT_SENDABLE __attribute__((swift_attr("@Sendable")))
#define NS_SWIFT_SENDABLE CF_SWIFT_SENDABLE
#define CF_SWIFT_NONSENDABLE __attribute__((swift_attr("@_nonSendable")))
#define NS_SWIFT_NONSENDABLE CF_SWIFT_NONSENDABLE
#define NS_SWIFT_DISABLE_ASYNC __attribute__((swift_async(none)))
#define NS_SWIFT_ASYNC(completionHandler) __attribute__((swift_async(swift_private, completionHandler)))
#define NS_SWIFT_ASYNC_NAME(name) __attribute__((swift_async_name(#name)))
#define NS_SWIFT_UNAVAILABLE_FROM_ASYNC(words) __attribute__((swift_attr("@_unavailableFromAsync(message: \"" words "\")")))

// Enumerations. Only what is closed is complete for Swift.
#define CF_OPEN_ENUM __attribute__((enum_extensibility(open)))
#define CF_CLOSED __attribute__((enum_extensibility(closed)))
#define DUET_NAMED_ENUM(type, name) enum CF_OPEN_ENUM name : type name; enum CF_OPEN_ENUM name : type
#define DUET_UNNAMED_ENUM(type) enum CF_OPEN_ENUM : type
#define DUET_ENUM_OF(first, second, which, ...) which
#define CF_ENUM(...) DUET_ENUM_OF(__VA_ARGS__, DUET_NAMED_ENUM, DUET_UNNAMED_ENUM, )(__VA_ARGS__)
#define CF_CLOSED_ENUM(type, name) enum CF_CLOSED name : type name; enum CF_CLOSED name : type
#define CF_OPTIONS(type, name) \
    enum __attribute__((flag_enum, enum_extensibility(open))) name : type name; \
    enum __attribute__((flag_enum, enum_extensibility(open))) name : type
#define NS_ENUM(...) CF_ENUM(__VA_ARGS__)
#define NS_CLOSED_ENUM(type, name) CF_CLOSED_ENUM(type, name)
#define NS_OPTIONS(type, name) CF_OPTIONS(type, name)
#define NS_ERROR_ENUM(domain, name) \
    enum __attribute__((ns_error_domain(domain))) CF_OPEN_ENUM name : NSInteger name; \
    enum __attribute__((ns_error_domain(domain))) CF_OPEN_ENUM name : NSInteger
#define CF_TYPED_ENUM __attribute__((swift_newtype(enum)))
#define CF_TYPED_EXTENSIBLE_ENUM __attribute__((swift_newtype(struct)))
#define CF_STRING_ENUM CF_TYPED_ENUM
#define CF_EXTENSIBLE_STRING_ENUM CF_TYPED_EXTENSIBLE_ENUM
#define NS_TYPED_ENUM CF_TYPED_ENUM
#define NS_TYPED_EXTENSIBLE_ENUM CF_TYPED_EXTENSIBLE_ENUM
#define NS_STRING_ENUM CF_TYPED_ENUM
#define NS_EXTENSIBLE_STRING_ENUM CF_TYPED_EXTENSIBLE_ENUM

// Classes and their methods.
#define NS_DESIGNATED_INITIALIZER __attribute__((objc_designated_initializer))
#define NS_REQUIRES_SUPER __attribute__((objc_requires_super))
#define NS_REQUIRES_NIL_TERMINATION __attribute__((sentinel(0, 1)))
#define NS_FORMAT_FUNCTION(text, first) __attribute__((format(__NSString__, text, first)))
#define NS_PROTOCOL_REQUIRES_EXPLICIT_IMPLEMENTATION __attribute__((objc_protocol_requires_explicit_implementation))

typedef unsigned char Boolean;
typedef unsigned char UInt8;
typedef signed char SInt8;
typedef unsigned short UInt16;
typedef signed short SInt16;
typedef unsigned int UInt32;
typedef signed int SInt32;
typedef uint64_t UInt64;
typedef int64_t SInt64;
typedef float Float32;
typedef double Float64;
typedef SInt32 OSStatus;
typedef UInt32 FourCharCode;
typedef FourCharCode OSType;
typedef UInt16 UniChar;

typedef unsigned long CFTypeID;
typedef unsigned long CFOptionFlags;
typedef unsigned long CFHashCode;
typedef signed long CFIndex;

typedef const CF_BRIDGED_TYPE(id) void *CFTypeRef;
typedef CFTypeRef CFPropertyListRef;

#if defined(__LP64__) && __LP64__
#define CGFLOAT_TYPE double
#define CGFLOAT_IS_DOUBLE 1
typedef double CGFloat;
#endif

#endif
