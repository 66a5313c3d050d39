#import <Foundation/Foundation.h>
#import <UIKit/UIView.h>
#import <UIKit/UIViewController.h>

NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(NSInteger, UIAlertActionStyle) {
    UIAlertActionStyleDefault = 0,
    UIAlertActionStyleCancel = 1,
    UIAlertActionStyleDestructive = 2,
} NS_SWIFT_NAME(UIAlertAction.Style) API_AVAILABLE(ios(8.0), visionos(1.0));

typedef NS_ENUM(NSInteger, UIAlertControllerStyle) {
    UIAlertControllerStyleActionSheet = 0,
    UIAlertControllerStyleAlert = 1,
} NS_SWIFT_NAME(UIAlertController.Style) API_AVAILABLE(ios(8.0), visionos(1.0));

API_AVAILABLE(ios(8.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface UIAlertAction : NSObject <NSCopying>
+ (instancetype)actionWithTitle:(nullable NSString *)title
                          style:(UIAlertActionStyle)style
                        handler:(void (^__nullable)(UIAlertAction *action))handler;
@end

API_AVAILABLE(ios(8.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface UIAlertController : UIViewController
+ (instancetype)alertControllerWithTitle:(nullable NSString *)title
                                 message:(nullable NSString *)message
                          preferredStyle:(UIAlertControllerStyle)preferredStyle;
- (void)addAction:(UIAlertAction *)action NS_SWIFT_NAME(addAction(_:));
- (void)addTextFieldWithConfigurationHandler:(void (^__nullable)(UITextField *textField))configurationHandler
    NS_SWIFT_NAME(addTextField(configurationHandler:));
@property (nullable, nonatomic, readonly) NSArray<UITextField *> *textFields;
@end

NS_ASSUME_NONNULL_END
