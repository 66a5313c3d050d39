// AppKit, as far as this package uses it.
#import <AppKit/NSAlert.h>
#import <AppKit/NSApplication.h>
#import <AppKit/NSControl.h>
#import <AppKit/NSLayoutAnchor.h>
#import <AppKit/NSOpenPanel.h>
#import <AppKit/NSView.h>
#import <AppKit/NSViewController.h>
#import <Foundation/Foundation.h>
#import <QuartzCore/QuartzCore.h>
