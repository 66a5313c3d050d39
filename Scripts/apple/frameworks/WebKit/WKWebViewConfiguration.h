#import <Foundation/Foundation.h>
#import <WebKit/WKNavigation.h>

NS_ASSUME_NONNULL_BEGIN

@class WKUserContentController;

// MARK: Processes and what they store

NS_SWIFT_UI_ACTOR
API_DEPRECATED("Several instances have no effect any more", macos(10.10, 12.0), ios(8.0, 15.0), visionos(1.0, 1.0))
@interface WKProcessPool : NSObject <NSSecureCoding>
@end

API_AVAILABLE(macos(10.11), ios(9.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface WKWebsiteDataStore : NSObject <NSSecureCoding>
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
+ (WKWebsiteDataStore *)defaultDataStore;
+ (WKWebsiteDataStore *)nonPersistentDataStore;
@end

// MARK: Scripts

API_AVAILABLE(macos(11.0), ios(14.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface WKContentWorld : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@property (class, nonatomic, readonly) WKContentWorld *pageWorld NS_SWIFT_NAME(page);
@property (class, nonatomic, readonly) WKContentWorld *defaultClientWorld NS_SWIFT_NAME(defaultClient);
+ (WKContentWorld *)worldWithName:(NSString *)name NS_SWIFT_NAME(world(name:));
@end

typedef NS_ENUM(NSInteger, WKUserScriptInjectionTime) {
    WKUserScriptInjectionTimeAtDocumentStart,
    WKUserScriptInjectionTimeAtDocumentEnd,
} API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0));

API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface WKUserScript : NSObject <NSCopying>
- (instancetype)initWithSource:(NSString *)source
                 injectionTime:(WKUserScriptInjectionTime)injectionTime
              forMainFrameOnly:(BOOL)forMainFrameOnly;
- (instancetype)initWithSource:(NSString *)source
                 injectionTime:(WKUserScriptInjectionTime)injectionTime
              forMainFrameOnly:(BOOL)forMainFrameOnly
                inContentWorld:(WKContentWorld *)contentWorld API_AVAILABLE(macos(11.0), ios(14.0), visionos(1.0));
@end

API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface WKScriptMessage : NSObject
@property (nonatomic, readonly, copy) id body;
@property (nonatomic, readonly, copy) WKFrameInfo *frameInfo;
@end

API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@protocol WKScriptMessageHandler <NSObject>
- (void)userContentController:(WKUserContentController *)userContentController
      didReceiveScriptMessage:(WKScriptMessage *)message;
@end

API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface WKUserContentController : NSObject <NSSecureCoding>
- (void)addUserScript:(WKUserScript *)userScript NS_SWIFT_NAME(addUserScript(_:));
- (void)addScriptMessageHandler:(id<WKScriptMessageHandler>)scriptMessageHandler
                   contentWorld:(WKContentWorld *)world
                           name:(NSString *)name API_AVAILABLE(macos(11.0), ios(14.0), visionos(1.0));
- (void)removeScriptMessageHandlerForName:(NSString *)name
                             contentWorld:(WKContentWorld *)contentWorld
    API_AVAILABLE(macos(11.0), ios(14.0), visionos(1.0));
@end

// MARK: The configuration

API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface WKPreferences : NSObject <NSSecureCoding>
@property (nonatomic) BOOL javaScriptCanOpenWindowsAutomatically;
@end

API_AVAILABLE(macos(10.15), ios(13.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface WKWebpagePreferences : NSObject
@end

typedef NS_OPTIONS(NSUInteger, WKAudiovisualMediaTypes) {
    WKAudiovisualMediaTypeNone = 0,
    WKAudiovisualMediaTypeAudio = 1 << 0,
    WKAudiovisualMediaTypeVideo = 1 << 1,
    WKAudiovisualMediaTypeAll = ~0UL,
} API_AVAILABLE(macos(10.12), ios(10.0), visionos(1.0));

#if TARGET_OS_IPHONE
typedef NS_OPTIONS(NSUInteger, WKDataDetectorTypes) {
    WKDataDetectorTypeNone = 0,
    WKDataDetectorTypePhoneNumber = 1 << 0,
    WKDataDetectorTypeLink = 1 << 1,
    WKDataDetectorTypeAll = ~0UL,
} API_AVAILABLE(ios(10.0), visionos(1.0));
#endif

API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface WKWebViewConfiguration : NSObject <NSSecureCoding, NSCopying>
@property (nonatomic, strong) WKProcessPool *processPool
    API_DEPRECATED("Several instances have no effect any more", macos(10.10, 12.0), ios(8.0, 15.0), visionos(1.0, 1.0));
@property (nonatomic, strong) WKPreferences *preferences;
@property (nonatomic, strong) WKUserContentController *userContentController;
@property (nonatomic, strong) WKWebsiteDataStore *websiteDataStore API_AVAILABLE(macos(10.11), ios(9.0), visionos(1.0));
@property (nonatomic) BOOL suppressesIncrementalRendering;
@property (nonatomic) WKAudiovisualMediaTypes mediaTypesRequiringUserActionForPlayback
    API_AVAILABLE(macos(10.12), ios(10.0), visionos(1.0));
@property (nonatomic) BOOL limitsNavigationsToAppBoundDomains API_AVAILABLE(macos(11.0), ios(14.0), visionos(1.0));
#if TARGET_OS_IPHONE
@property (nonatomic) BOOL allowsInlineMediaPlayback;
@property (nonatomic) WKDataDetectorTypes dataDetectorTypes API_AVAILABLE(ios(10.0), visionos(1.0));
#endif
@end

NS_ASSUME_NONNULL_END
