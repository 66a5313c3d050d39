// AuthenticationServices, as far as this package uses it.
#import <Foundation/Foundation.h>
#if TARGET_OS_OSX
#import <AppKit/AppKit.h>
#else
#import <UIKit/UIKit.h>
#endif

NS_ASSUME_NONNULL_BEGIN

@class ASWebAuthenticationSession;

#if TARGET_OS_OSX
typedef NSWindow *ASPresentationAnchor;
#else
typedef UIWindow *ASPresentationAnchor;
#endif

FOUNDATION_EXPORT NSErrorDomain const ASWebAuthenticationSessionErrorDomain
    API_AVAILABLE(macos(10.15), ios(12.0), visionos(1.0));

typedef NS_ERROR_ENUM(ASWebAuthenticationSessionErrorDomain, ASWebAuthenticationSessionErrorCode) {
    ASWebAuthenticationSessionErrorCodeCanceledLogin = 1,
    ASWebAuthenticationSessionErrorCodePresentationContextNotProvided API_AVAILABLE(macos(10.15), ios(13.0), visionos(1.0)) = 2,
    ASWebAuthenticationSessionErrorCodePresentationContextInvalid API_AVAILABLE(macos(10.15), ios(13.0), visionos(1.0)) = 3,
} API_AVAILABLE(macos(10.15), ios(12.0), visionos(1.0));

typedef void (NS_SWIFT_SENDABLE ^ASWebAuthenticationSessionCompletionHandler)(NSURL *_Nullable callbackURL, NSError *_Nullable error)
    NS_SWIFT_NAME(ASWebAuthenticationSession.CompletionHandler) API_AVAILABLE(macos(10.15), ios(12.0), visionos(1.0));

API_AVAILABLE(macos(10.15), ios(13.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@protocol ASWebAuthenticationPresentationContextProviding <NSObject>
- (ASPresentationAnchor)presentationAnchorForWebAuthenticationSession:(ASWebAuthenticationSession *)session
    NS_SWIFT_NAME(presentationAnchor(for:));
@end

API_AVAILABLE(macos(14.4), ios(17.4), visionos(1.1)) NS_SWIFT_NAME(ASWebAuthenticationSession.Callback) NS_SWIFT_SENDABLE
@interface ASWebAuthenticationSessionCallback : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
+ (instancetype)callbackWithCustomScheme:(NSString *)customScheme NS_SWIFT_NAME(customScheme(_:));
+ (instancetype)callbackWithHTTPSHost:(NSString *)host path:(NSString *)path NS_SWIFT_NAME(https(host:path:));
@end

API_AVAILABLE(macos(10.15), ios(12.0), visionos(1.0))
@interface ASWebAuthenticationSession : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)initWithURL:(NSURL *)URL
                   callback:(ASWebAuthenticationSessionCallback *)callback
          completionHandler:(ASWebAuthenticationSessionCompletionHandler)completionHandler
    API_AVAILABLE(macos(14.4), ios(17.4), visionos(1.1));
@property (nonatomic, weak, nullable) id<ASWebAuthenticationPresentationContextProviding> presentationContextProvider
    API_AVAILABLE(macos(10.15), ios(13.0), visionos(1.0));
@property (nonatomic) BOOL prefersEphemeralWebBrowserSession API_AVAILABLE(macos(10.15), ios(13.0), visionos(1.0));
- (BOOL)start;
- (void)cancel;
@end

NS_ASSUME_NONNULL_END
