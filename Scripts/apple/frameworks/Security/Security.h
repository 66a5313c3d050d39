// Security, as far as this package and NIOSSL use it.
#ifndef SECURITY_H
#define SECURITY_H

#include <CoreFoundation/CoreFoundation.h>
#include <dispatch/dispatch.h>

CF_ASSUME_NONNULL_BEGIN
CF_IMPLICIT_BRIDGING_ENABLED

typedef struct CF_BRIDGED_TYPE(id) __SecCertificate *SecCertificateRef;
typedef struct CF_BRIDGED_TYPE(id) __SecIdentity *SecIdentityRef;
typedef struct CF_BRIDGED_TYPE(id) __SecKey *SecKeyRef;
typedef struct CF_BRIDGED_TYPE(id) __SecPolicy *SecPolicyRef;
typedef struct CF_BRIDGED_TYPE(id) __SecTrust *SecTrustRef;

CF_ENUM(OSStatus) {
    errSecSuccess = 0,
    errSecUnimplemented = -4,
    errSecParam = -50,
    errSecUserCanceled = -128,
    errSecNotAvailable = -25291,
    errSecAuthFailed = -25293,
    errSecDuplicateItem = -25299,
    errSecItemNotFound = -25300,
    errSecInteractionNotAllowed = -25308,
    errSecMissingEntitlement = -34018,
};

CF_EXPORT const CFStringRef kSecClass;
CF_EXPORT const CFStringRef kSecClassGenericPassword;
CF_EXPORT const CFStringRef kSecAttrService;
CF_EXPORT const CFStringRef kSecAttrAccount;
CF_EXPORT const CFStringRef kSecAttrAccessible;
CF_EXPORT const CFStringRef kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly;
CF_EXPORT const CFStringRef kSecUseDataProtectionKeychain;
CF_EXPORT const CFStringRef kSecMatchLimit;
CF_EXPORT const CFStringRef kSecMatchLimitAll;
CF_EXPORT const CFStringRef kSecReturnData;
CF_EXPORT const CFStringRef kSecReturnAttributes;
CF_EXPORT const CFStringRef kSecValueData;
CF_EXPORT const CFStringRef kSecImportExportPassphrase;
CF_EXPORT const CFStringRef kSecImportItemIdentity;
CF_EXPORT const CFStringRef kSecImportToMemoryOnly API_AVAILABLE(macos(15.0), ios(18.0), visionos(2.0));

OSStatus SecItemCopyMatching(CFDictionaryRef query, CFTypeRef *__nullable CF_RETURNS_RETAINED result);
OSStatus SecItemAdd(CFDictionaryRef attributes, CFTypeRef *__nullable CF_RETURNS_RETAINED result);
OSStatus SecItemUpdate(CFDictionaryRef query, CFDictionaryRef attributesToUpdate);
OSStatus SecItemDelete(CFDictionaryRef query);
OSStatus SecPKCS12Import(CFDataRef pkcs12_data, CFDictionaryRef options, CFArrayRef *__nonnull CF_RETURNS_RETAINED items);

__nullable SecCertificateRef SecCertificateCreateWithData(CFAllocatorRef __nullable allocator, CFDataRef data);
CFDataRef SecCertificateCopyData(SecCertificateRef certificate);
SecPolicyRef SecPolicyCreateSSL(Boolean server, CFStringRef __nullable hostname);

typedef CF_ENUM(uint32_t, SecTrustResultType) {
    kSecTrustResultInvalid = 0,
    kSecTrustResultProceed = 1,
    kSecTrustResultConfirm CF_SWIFT_UNAVAILABLE("deprecated") = 2,
    kSecTrustResultDeny = 3,
    kSecTrustResultUnspecified = 4,
    kSecTrustResultRecoverableTrustFailure = 5,
    kSecTrustResultFatalTrustFailure = 6,
    kSecTrustResultOtherError = 7
};
typedef void (^SecTrustCallback)(SecTrustRef trustRef, SecTrustResultType trustResult);
typedef void (^SecTrustWithErrorCallback)(SecTrustRef trustRef, bool result, CFErrorRef __nullable error);

OSStatus SecTrustCreateWithCertificates(
    CFTypeRef certificates, CFTypeRef __nullable policies, SecTrustRef *__nonnull CF_RETURNS_RETAINED trust);
OSStatus SecTrustSetAnchorCertificates(SecTrustRef trust, CFArrayRef __nullable anchorCertificates);
OSStatus SecTrustSetAnchorCertificatesOnly(SecTrustRef trust, Boolean anchorCertificatesOnly);
OSStatus SecTrustEvaluateAsync(SecTrustRef trust, dispatch_queue_t __nullable queue, SecTrustCallback result)
    API_DEPRECATED_WITH_REPLACEMENT("SecTrustEvaluateAsyncWithError", macos(10.7, 10.15), ios(7.0, 13.0));
OSStatus SecTrustEvaluateAsyncWithError(SecTrustRef trust, dispatch_queue_t queue, SecTrustWithErrorCallback result);
bool SecTrustEvaluateWithError(SecTrustRef trust, CFErrorRef _Nullable *_Nullable CF_RETURNS_RETAINED error);
CFArrayRef _Nullable SecTrustCopyCertificateChain(SecTrustRef trust);

CF_IMPLICIT_BRIDGING_DISABLED
CF_ASSUME_NONNULL_END

#endif
