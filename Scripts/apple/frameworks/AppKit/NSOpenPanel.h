#import <AppKit/NSApplication.h>
#import <AppKit/NSView.h>
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

static const NSModalResponse NSModalResponseOK NS_SWIFT_NAME(OK) = 1;

NS_SWIFT_UI_ACTOR
@interface NSPanel : NSWindow
@end

NS_SWIFT_UI_ACTOR
@interface NSSavePanel : NSPanel
- (instancetype)init;
- (void)beginSheetModalForWindow:(NSWindow *)window
               completionHandler:(void (^)(NSModalResponse result))handler API_AVAILABLE(macos(10.6));
- (void)beginWithCompletionHandler:(void (^)(NSModalResponse result))handler API_AVAILABLE(macos(10.6));
@end

NS_SWIFT_UI_ACTOR
@interface NSOpenPanel : NSSavePanel
@property (readonly, copy) NSArray<NSURL *> *URLs NS_SWIFT_NAME(urls);
@property BOOL canChooseDirectories;
@property BOOL canChooseFiles;
@property BOOL allowsMultipleSelection;
@end

NS_ASSUME_NONNULL_END
