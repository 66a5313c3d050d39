// UIKit, as far as this package uses it.
#import <Foundation/Foundation.h>
#import <QuartzCore/QuartzCore.h>
#import <UIKit/NSLayoutAnchor.h>
#import <UIKit/UIAlertController.h>
#import <UIKit/UIApplication.h>
#import <UIKit/UIBarButtonItem.h>
#import <UIKit/UIView.h>
#import <UIKit/UIViewController.h>
