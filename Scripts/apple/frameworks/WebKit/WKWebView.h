#import <Foundation/Foundation.h>
#import <WebKit/WKDelegates.h>
#import <WebKit/WKNavigation.h>
#import <WebKit/WKWebViewConfiguration.h>
#if TARGET_OS_OSX
#import <AppKit/AppKit.h>
#else
#import <UIKit/UIKit.h>
#endif

NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(NSInteger, WKMediaCaptureState) {
    WKMediaCaptureStateNone,
    WKMediaCaptureStateActive,
    WKMediaCaptureStateMuted,
} API_AVAILABLE(macos(12.0), ios(15.0), visionos(1.0));

API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
#if TARGET_OS_OSX
@interface WKWebView : NSView
#else
@interface WKWebView : UIView
#endif
@property (nonatomic, readonly, copy) WKWebViewConfiguration *configuration;
@property (nonatomic, weak, nullable) id<WKNavigationDelegate> navigationDelegate;
@property (nonatomic, weak, nullable) id<WKUIDelegate> UIDelegate;
- (instancetype)initWithFrame:(CGRect)frame configuration:(WKWebViewConfiguration *)configuration NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;

- (nullable WKNavigation *)loadRequest:(NSURLRequest *)request;
- (WKNavigation *)loadSimulatedRequest:(NSURLRequest *)request
                    responseHTMLString:(NSString *)string
    NS_SWIFT_NAME(loadSimulatedRequest(_:responseHTML:)) API_AVAILABLE(macos(12.0), ios(15.0), visionos(1.0));
- (nullable WKNavigation *)goBack;
- (nullable WKNavigation *)goForward;
- (nullable WKNavigation *)reload;
- (void)stopLoading;

@property (nonatomic, readonly, copy, nullable) NSString *title;
@property (nonatomic, readonly, copy, nullable) NSURL *URL;
@property (nonatomic, readonly, getter=isLoading) BOOL loading;
@property (nonatomic, readonly) double estimatedProgress;
@property (nonatomic, readonly) BOOL canGoBack;
@property (nonatomic, readonly) BOOL canGoForward;
@property (nonatomic) BOOL allowsBackForwardNavigationGestures;

- (void)evaluateJavaScript:(NSString *)javaScriptString
                   inFrame:(nullable WKFrameInfo *)frame
            inContentWorld:(WKContentWorld *)contentWorld
         completionHandler:
             (void (^_Nullable NS_SWIFT_UI_ACTOR)(id _Nullable result, NSError *_Nullable error))completionHandler
    NS_REFINED_FOR_SWIFT API_AVAILABLE(macos(11.0), ios(14.0), visionos(1.0));

@property (nonatomic, readonly) WKMediaCaptureState cameraCaptureState API_AVAILABLE(macos(12.0), ios(15.0), visionos(1.0));
@property (nonatomic, readonly) WKMediaCaptureState microphoneCaptureState
    API_AVAILABLE(macos(12.0), ios(15.0), visionos(1.0));
- (void)setCameraCaptureState:(WKMediaCaptureState)state
            completionHandler:(void (^_Nullable NS_SWIFT_UI_ACTOR)(void))completionHandler
    API_AVAILABLE(macos(12.0), ios(15.0), visionos(1.0));
- (void)setMicrophoneCaptureState:(WKMediaCaptureState)state
                completionHandler:(void (^_Nullable NS_SWIFT_UI_ACTOR)(void))completionHandler
    API_AVAILABLE(macos(12.0), ios(15.0), visionos(1.0));

#if TARGET_OS_IPHONE
@property (nonatomic, readonly, strong) UIScrollView *scrollView;
#endif
@end

NS_ASSUME_NONNULL_END
