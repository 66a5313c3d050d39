#import <AppKit/NSApplication.h>
#import <AppKit/NSControl.h>
#import <AppKit/NSView.h>
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

static const NSModalResponse NSAlertFirstButtonReturn = 1000;

NS_SWIFT_UI_ACTOR
@interface NSAlert : NSObject
@property (copy) NSString *messageText;
@property (copy) NSString *informativeText;
- (NSButton *)addButtonWithTitle:(NSString *)title;
@property (nullable, strong) NSView *accessoryView API_AVAILABLE(macos(10.5));
@property BOOL showsSuppressionButton API_AVAILABLE(macos(10.5));
@property (nullable, readonly, strong) NSButton *suppressionButton API_AVAILABLE(macos(10.5));
- (void)beginSheetModalForWindow:(NSWindow *)sheetWindow
               completionHandler:(void (^__nullable)(NSModalResponse returnCode))handler API_AVAILABLE(macos(10.9));
@property (readonly, strong) NSWindow *window;
@end

NS_ASSUME_NONNULL_END
