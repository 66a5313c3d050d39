#import <Foundation/Foundation.h>
#import <UIKit/UIView.h>

NS_ASSUME_NONNULL_BEGIN

@class UIAction, UIBarButtonItem, UIImage;

// MARK: Actions

typedef void (^UIActionHandler)(__kindof UIAction *action);
typedef NSString *UIActionIdentifier NS_TYPED_EXTENSIBLE_ENUM NS_SWIFT_NAME(UIAction.Identifier)
    API_AVAILABLE(ios(13.0), visionos(1.0));

API_AVAILABLE(ios(13.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface UIMenuElement : NSObject <NSCopying, NSSecureCoding>
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
@end

API_AVAILABLE(ios(13.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface UIAction : UIMenuElement
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
+ (instancetype)actionWithTitle:(NSString *)title
                          image:(nullable UIImage *)image
                     identifier:(nullable UIActionIdentifier)identifier
                        handler:(UIActionHandler)handler NS_REFINED_FOR_SWIFT;
@property (nonatomic, copy) NSString *title;
@end

// MARK: Items of bars

API_AVAILABLE(ios(2.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface UIBarItem : NSObject <NSCoding>
- (instancetype)init NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
@end

typedef NS_ENUM(NSInteger, UIBarButtonSystemItem) {
    UIBarButtonSystemItemDone,
    UIBarButtonSystemItemCancel,
    UIBarButtonSystemItemEdit,
    UIBarButtonSystemItemSave,
} NS_SWIFT_NAME(UIBarButtonItem.SystemItem);

API_AVAILABLE(ios(2.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface UIBarButtonItem : UIBarItem <NSCoding>
- (instancetype)init NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
- (instancetype)initWithCustomView:(UIView *)customView;
- (instancetype)initWithBarButtonSystemItem:(UIBarButtonSystemItem)systemItem
                              primaryAction:(nullable UIAction *)primaryAction
    API_AVAILABLE(ios(14.0), visionos(1.0)) NS_REFINED_FOR_SWIFT;
@end

API_AVAILABLE(ios(2.0), visionos(1.0)) NS_SWIFT_UI_ACTOR
@interface UINavigationItem : NSObject <NSCoding>
- (instancetype)initWithTitle:(NSString *)title NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
@property (nullable, nonatomic, copy) NSString *title;
@property (nullable, nonatomic, strong) UIBarButtonItem *leftBarButtonItem;
@property (nullable, nonatomic, strong) UIBarButtonItem *rightBarButtonItem;
@end

NS_ASSUME_NONNULL_END
