#import <Foundation/Foundation.h>
#import <UIKit/UIView.h>

NS_ASSUME_NONNULL_BEGIN

typedef NSString *UIApplicationOpenExternalURLOptionsKey NS_TYPED_ENUM
    NS_SWIFT_NAME(UIApplication.OpenExternalURLOptionsKey);

API_AVAILABLE(ios(2.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface UIApplication : UIResponder
@property (class, nonatomic, readonly) UIApplication *sharedApplication NS_SWIFT_NAME(shared);
- (BOOL)canOpenURL:(NSURL *)url NS_SWIFT_NAME(canOpenURL(_:)) API_AVAILABLE(ios(3.0), visionos(1.0));
- (void)openURL:(NSURL *)url
              options:(NSDictionary<UIApplicationOpenExternalURLOptionsKey, id> *)options
    completionHandler:(void (^__nullable NS_SWIFT_UI_ACTOR)(BOOL success))completion
    API_AVAILABLE(ios(10.0), visionos(1.0));
@property (nonatomic, readonly) NSSet<UIScene *> *connectedScenes API_AVAILABLE(ios(13.0), visionos(1.0));
@end

FOUNDATION_EXPORT NSNotificationName const UIApplicationDidBecomeActiveNotification
    API_AVAILABLE(ios(4.0), visionos(1.0)) NS_SWIFT_NAME(UIApplication.didBecomeActiveNotification);

NS_ASSUME_NONNULL_END
