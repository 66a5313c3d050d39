#import <Foundation/Foundation.h>
#import <QuartzCore/QuartzCore.h>
#import <UIKit/NSLayoutAnchor.h>

NS_ASSUME_NONNULL_BEGIN

@class UIWindow;

API_AVAILABLE(ios(2.0), visionos(1.0)) NS_SWIFT_SENDABLE
@interface UIColor : NSObject <NSSecureCoding, NSCopying>
@property (class, nonatomic, readonly) UIColor *blackColor;
@property (class, nonatomic, readonly) UIColor *systemBackgroundColor API_AVAILABLE(ios(13.0), visionos(1.0));
@property (nonatomic, readonly) CGColorRef CGColor;
@end

API_AVAILABLE(ios(2.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface UIResponder : NSObject
@property (nonatomic, readonly, nullable) UIResponder *nextResponder NS_SWIFT_NAME(next);
@end

// MARK: Views

API_AVAILABLE(ios(2.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface UIView : UIResponder <NSCoding>
- (instancetype)initWithFrame:(CGRect)frame NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
@property (nonatomic, readonly, strong) CALayer *layer;
@property (nonatomic) CGRect frame;
@property (nonatomic) CGRect bounds;
@property (nonatomic, readonly, nullable) UIView *superview;
@property (nonatomic, readonly, copy) NSArray<__kindof UIView *> *subviews;
@property (nonatomic, readonly, nullable) UIWindow *window;
- (void)removeFromSuperview;
- (void)addSubview:(UIView *)view;
- (void)layoutSubviews;
@property (nonatomic, copy, nullable) UIColor *backgroundColor;
@property (nonatomic, getter=isOpaque) BOOL opaque;
@property (nonatomic, getter=isHidden) BOOL hidden;
@property (nonatomic) BOOL translatesAutoresizingMaskIntoConstraints API_AVAILABLE(ios(6.0), visionos(1.0));
@property (nonatomic, readonly, strong) UILayoutGuide *safeAreaLayoutGuide API_AVAILABLE(ios(11.0), visionos(1.0));
@property (nonatomic, readonly, strong) NSLayoutXAxisAnchor *leadingAnchor API_AVAILABLE(ios(9.0), visionos(1.0));
@property (nonatomic, readonly, strong) NSLayoutXAxisAnchor *trailingAnchor API_AVAILABLE(ios(9.0), visionos(1.0));
@property (nonatomic, readonly, strong) NSLayoutYAxisAnchor *topAnchor API_AVAILABLE(ios(9.0), visionos(1.0));
@property (nonatomic, readonly, strong) NSLayoutYAxisAnchor *bottomAnchor API_AVAILABLE(ios(9.0), visionos(1.0));
@end

// MARK: Windows and their scenes

typedef NS_ENUM(NSInteger, UISceneActivationState) {
    UISceneActivationStateUnattached = -1,
    UISceneActivationStateForegroundActive,
    UISceneActivationStateForegroundInactive,
    UISceneActivationStateBackground,
} NS_SWIFT_NAME(UIScene.ActivationState) API_AVAILABLE(ios(13.0), visionos(1.0));

API_AVAILABLE(ios(13.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface UIScene : UIResponder
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@property (nonatomic, readonly) UISceneActivationState activationState;
@end

FOUNDATION_EXPORT NSNotificationName const UISceneDidDisconnectNotification
    API_AVAILABLE(ios(13.0), visionos(1.0)) NS_SWIFT_NAME(UIScene.didDisconnectNotification);

API_AVAILABLE(ios(13.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface UIWindowScene : UIScene
@property (nullable, nonatomic, readonly, strong) UIWindow *keyWindow API_AVAILABLE(ios(15.0), visionos(1.0));
@end

API_AVAILABLE(ios(2.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface UIWindow : UIView
- (instancetype)initWithWindowScene:(UIWindowScene *)windowScene NS_DESIGNATED_INITIALIZER
    API_AVAILABLE(ios(13.0), visionos(1.0));
@property (nullable, nonatomic, weak) UIWindowScene *windowScene API_AVAILABLE(ios(13.0), visionos(1.0));
- (instancetype)initWithFrame:(CGRect)frame NS_DESIGNATED_INITIALIZER
    API_DEPRECATED("Use init(windowScene:)", ios(2.0, 26.0), visionos(1.0, 26.0));
- (instancetype)init API_DEPRECATED("Use init(windowScene:)", ios(2.0, 26.0), visionos(1.0, 26.0));
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
@end

API_AVAILABLE(ios(2.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface UIScrollView : UIView <NSCoding>
@property (nonatomic) BOOL bounces;
@end

typedef NS_ENUM(NSInteger, UIActivityIndicatorViewStyle) {
    UIActivityIndicatorViewStyleMedium API_AVAILABLE(ios(13.0), visionos(1.0)) = 100,
    UIActivityIndicatorViewStyleLarge API_AVAILABLE(ios(13.0), visionos(1.0)) = 101,
} NS_SWIFT_NAME(UIActivityIndicatorView.Style);

API_AVAILABLE(ios(2.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface UIActivityIndicatorView : UIView <NSCoding>
- (instancetype)initWithActivityIndicatorStyle:(UIActivityIndicatorViewStyle)style NS_DESIGNATED_INITIALIZER
    NS_SWIFT_NAME(init(style:));
- (instancetype)initWithFrame:(CGRect)frame NS_DESIGNATED_INITIALIZER;
@property (nonatomic) BOOL hidesWhenStopped;
- (void)startAnimating;
- (void)stopAnimating;
@end

// MARK: Controls

API_AVAILABLE(ios(2.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface UIControl : UIView
- (instancetype)initWithFrame:(CGRect)frame NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
@end

API_AVAILABLE(ios(2.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface UITextField : UIControl <NSCoding>
@property (nonatomic, copy, nullable) NSString *text;
@end

NS_ASSUME_NONNULL_END
