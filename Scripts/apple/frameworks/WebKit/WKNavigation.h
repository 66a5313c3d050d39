#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

@class WKWebView;

API_AVAILABLE(macos(10.11), ios(9.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface WKSecurityOrigin : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@property (nonatomic, readonly, copy) NSString *protocol;
@property (nonatomic, readonly, copy) NSString *host;
@property (nonatomic, readonly) NSInteger port;
@end

API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface WKFrameInfo : NSObject <NSCopying>
@property (nonatomic, readonly, getter=isMainFrame) BOOL mainFrame;
@property (nonatomic, readonly, copy) NSURLRequest *request;
@property (nonatomic, readonly) WKSecurityOrigin *securityOrigin API_AVAILABLE(macos(10.11), ios(9.0), visionos(1.0));
@property (nonatomic, readonly, weak, nullable) WKWebView *webView API_AVAILABLE(macos(10.13), ios(11.0), visionos(1.0));
@end

API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface WKNavigation : NSObject
@end

API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface WKWindowFeatures : NSObject
@end

typedef NS_ENUM(NSInteger, WKNavigationType) {
    WKNavigationTypeLinkActivated,
    WKNavigationTypeFormSubmitted,
    WKNavigationTypeBackForward,
    WKNavigationTypeReload,
    WKNavigationTypeFormResubmitted,
    WKNavigationTypeOther = -1,
} API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0));

API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface WKNavigationAction : NSObject
@property (nonatomic, readonly, copy) WKFrameInfo *sourceFrame;
@property (nonatomic, readonly, copy, nullable) WKFrameInfo *targetFrame;
@property (nonatomic, readonly) WKNavigationType navigationType;
@property (nonatomic, readonly, copy) NSURLRequest *request;
@property (nonatomic, readonly) BOOL shouldPerformDownload API_AVAILABLE(macos(11.3), ios(14.5), visionos(1.0));
@end

API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface WKNavigationResponse : NSObject
@property (nonatomic, readonly, getter=isForMainFrame) BOOL forMainFrame;
@property (nonatomic, readonly, copy) NSURLResponse *response;
@property (nonatomic, readonly) BOOL canShowMIMEType;
@end

NS_ASSUME_NONNULL_END
