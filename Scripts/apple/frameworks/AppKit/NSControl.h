#import <AppKit/NSView.h>
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

typedef NSInteger NSControlStateValue NS_TYPED_EXTENSIBLE_ENUM NS_SWIFT_NAME(NSControl.StateValue);
static const NSControlStateValue NSControlStateValueMixed = -1;
static const NSControlStateValue NSControlStateValueOff = 0;
static const NSControlStateValue NSControlStateValueOn = 1;

NS_SWIFT_UI_ACTOR
@interface NSControl : NSView
- (instancetype)initWithFrame:(NSRect)frameRect NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
@property (copy) NSString *stringValue;
@end

NS_SWIFT_UI_ACTOR
@interface NSTextField : NSControl
@end

@interface NSTextField (NSTextFieldConvenience)
+ (instancetype)labelWithString:(NSString *)stringValue NS_SWIFT_NAME(init(labelWithString:)) API_AVAILABLE(macos(10.12));
+ (instancetype)textFieldWithString:(NSString *)stringValue API_AVAILABLE(macos(10.12));
@end

NS_SWIFT_UI_ACTOR
@interface NSButton : NSControl
+ (instancetype)buttonWithTitle:(NSString *)title
                         target:(nullable id)target
                         action:(nullable SEL)action API_AVAILABLE(macos(10.12));
@property (copy) NSString *title;
@property NSControlStateValue state;
@property (copy) NSString *keyEquivalent;
@end

NS_ASSUME_NONNULL_END
