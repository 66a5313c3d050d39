#import <Foundation/NSURLResponse.h>
#import <Security/Security.h>

@class NSURLCredential;

NS_HEADER_AUDIT_BEGIN(nullability, sendability)

FOUNDATION_EXPORT NSString *const NSURLAuthenticationMethodDefault;
FOUNDATION_EXPORT NSString *const NSURLAuthenticationMethodHTTPBasic;
FOUNDATION_EXPORT NSString *const NSURLAuthenticationMethodHTTPDigest;
FOUNDATION_EXPORT NSString *const NSURLAuthenticationMethodHTMLForm;
FOUNDATION_EXPORT NSString *const NSURLAuthenticationMethodNTLM;
FOUNDATION_EXPORT NSString *const NSURLAuthenticationMethodNegotiate;
FOUNDATION_EXPORT NSString *const NSURLAuthenticationMethodClientCertificate;
FOUNDATION_EXPORT NSString *const NSURLAuthenticationMethodServerTrust;

typedef NS_ENUM(NSUInteger, NSURLCredentialPersistence) {
    NSURLCredentialPersistenceNone,
    NSURLCredentialPersistenceForSession,
    NSURLCredentialPersistencePermanent,
    NSURLCredentialPersistenceSynchronizable
} NS_SWIFT_NAME(URLCredential.Persistence);

NS_SWIFT_SENDABLE NS_SWIFT_NAME(URLCredential)
@interface NSURLCredential : NSObject <NSSecureCoding, NSCopying>
@property (readonly) NSURLCredentialPersistence persistence;
@end

@interface NSURLCredential (NSInternetPassword)
- (instancetype)initWithUser:(NSString *)user password:(NSString *)password persistence:(NSURLCredentialPersistence)persistence;
@property (nullable, readonly, copy) NSString *user;
@property (nullable, readonly, copy) NSString *password;
@property (readonly) BOOL hasPassword;
@end

@interface NSURLCredential (NSClientCertificate)
- (instancetype)initWithIdentity:(SecIdentityRef)identity
                    certificates:(nullable NSArray *)certArray
                     persistence:(NSURLCredentialPersistence)persistence;
@property (nullable, readonly) SecIdentityRef identity;
@property (readonly, copy) NSArray *certificates;
@end

@interface NSURLCredential (NSServerTrust)
- (instancetype)initWithTrust:(SecTrustRef)trust;
@end

NS_SWIFT_SENDABLE NS_SWIFT_NAME(URLProtectionSpace)
@interface NSURLProtectionSpace : NSObject <NSSecureCoding, NSCopying>
- (instancetype)initWithHost:(NSString *)host
                        port:(NSInteger)port
                    protocol:(nullable NSString *)protocol
                       realm:(nullable NSString *)realm
        authenticationMethod:(nullable NSString *)authenticationMethod;
@property (nullable, readonly, copy) NSString *realm;
@property (readonly) BOOL receivesCredentialSecurely;
- (BOOL)isProxy;
@property (readonly, copy) NSString *host;
@property (readonly) NSInteger port;
@property (nullable, readonly, copy) NSString *proxyType;
@property (nullable, readonly, copy) NSString *protocol;
@property (readonly, copy) NSString *authenticationMethod;
@end

@interface NSURLProtectionSpace (NSClientCertificateSpace)
@property (nullable, readonly, copy) NSArray<NSData *> *distinguishedNames;
@end

@interface NSURLProtectionSpace (NSServerTrustValidationSpace)
@property (nullable, readonly) SecTrustRef serverTrust;
@end

@class NSURLAuthenticationChallenge;

NS_SWIFT_SENDABLE NS_SWIFT_NAME(URLAuthenticationChallengeSender)
@protocol NSURLAuthenticationChallengeSender <NSObject>
- (void)useCredential:(NSURLCredential *)credential forAuthenticationChallenge:(NSURLAuthenticationChallenge *)challenge;
- (void)continueWithoutCredentialForAuthenticationChallenge:(NSURLAuthenticationChallenge *)challenge;
- (void)cancelAuthenticationChallenge:(NSURLAuthenticationChallenge *)challenge;
@end

NS_SWIFT_SENDABLE NS_SWIFT_NAME(URLAuthenticationChallenge)
@interface NSURLAuthenticationChallenge : NSObject <NSSecureCoding>
@property (readonly, copy) NSURLProtectionSpace *protectionSpace;
@property (nullable, readonly, copy) NSURLCredential *proposedCredential;
@property (readonly) NSInteger previousFailureCount;
@property (nullable, readonly, copy) NSURLResponse *failureResponse;
@property (nullable, readonly, copy) NSError *error;
@property (nullable, readonly, retain) id<NSURLAuthenticationChallengeSender> sender;
@end

NS_HEADER_AUDIT_END(nullability, sendability)
