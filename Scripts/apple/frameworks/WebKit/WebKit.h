// WebKit, as far as this package uses it.
#import <Foundation/Foundation.h>
#import <WebKit/WKDelegates.h>
#import <WebKit/WKNavigation.h>
#import <WebKit/WKWebView.h>
#import <WebKit/WKWebViewConfiguration.h>
#if TARGET_OS_OSX
#import <AppKit/AppKit.h>
#else
#import <UIKit/UIKit.h>
#endif
