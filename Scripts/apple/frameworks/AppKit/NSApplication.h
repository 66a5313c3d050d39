#import <AppKit/NSView.h>
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

typedef NSInteger NSModalResponse NS_TYPED_EXTENSIBLE_ENUM NS_SWIFT_NAME(NSApplication.ModalResponse);

NS_SWIFT_UI_ACTOR
@interface NSApplication : NSResponder
@property (class, readonly, strong) __kindof NSApplication *sharedApplication NS_SWIFT_NAME(shared);
- (instancetype)init NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
@property (nullable, readonly, weak) NSWindow *mainWindow;
@property (nullable, readonly, weak) NSWindow *keyWindow;
@end

FOUNDATION_EXPORT NSNotificationName const NSApplicationDidBecomeActiveNotification
    NS_SWIFT_NAME(NSApplication.didBecomeActiveNotification);

@interface NSWorkspace : NSObject
@property (class, readonly, strong) NSWorkspace *sharedWorkspace NS_SWIFT_NAME(shared);
- (BOOL)openURL:(NSURL *)url;
- (nullable NSURL *)URLForApplicationToOpenURL:(NSURL *)url API_AVAILABLE(macos(10.6));
@end

NS_ASSUME_NONNULL_END
