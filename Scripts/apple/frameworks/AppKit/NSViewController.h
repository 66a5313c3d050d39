#import <AppKit/NSView.h>
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

typedef NSString *NSNibName NS_TYPED_EXTENSIBLE_ENUM NS_SWIFT_NAME(NSNib.Name);

@interface NSNib : NSObject <NSCoding>
@end

API_AVAILABLE(macos(10.5)) NS_SWIFT_UI_ACTOR
@interface NSViewController : NSResponder
- (instancetype)initWithNibName:(nullable NSNibName)nibNameOrNil
                         bundle:(nullable NSBundle *)nibBundleOrNil NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
@property (strong) NSView *view;
- (void)loadView;
- (void)viewDidLoad API_AVAILABLE(macos(10.10));
- (void)viewDidAppear API_AVAILABLE(macos(10.10));
- (void)viewDidDisappear API_AVAILABLE(macos(10.10));
@end

@interface NSViewController (NSViewControllerPresentation)
- (void)dismissViewController:(NSViewController *)viewController API_AVAILABLE(macos(10.10));
@property (nullable, readonly, unsafe_unretained) NSViewController *presentingViewController
    NS_SWIFT_NAME(presentingViewController) API_AVAILABLE(macos(10.10));
@end

@interface NSViewController (NSViewControllerPresentationAndTransitionStyles)
- (void)presentViewControllerAsSheet:(NSViewController *)viewController
    NS_SWIFT_NAME(presentAsSheet(_:)) API_AVAILABLE(macos(10.10));
@end

@interface NSViewController (NSViewControllerContainer)
- (void)addChildViewController:(NSViewController *)childViewController
    NS_SWIFT_NAME(addChild(_:)) API_AVAILABLE(macos(10.10));
@end

NS_ASSUME_NONNULL_END
