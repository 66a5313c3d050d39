// Foundation, as far as this package uses it. Its values have their Swift faces in overlays/Foundation.
#import <CoreFoundation/CoreFoundation.h>
#import <objc/NSObject.h>

#import <Foundation/NSValues.h>
#import <Foundation/NSCollections.h>
#import <Foundation/NSError.h>
#import <Foundation/NSKeyValue.h>
#import <Foundation/NSNotification.h>
#import <Foundation/NSLock.h>
#import <Foundation/NSProcess.h>
#import <Foundation/NSFiles.h>
#import <Foundation/NSURLResponse.h>
#import <Foundation/NSURLAuthentication.h>
#import <Foundation/NSURLSession.h>
#import <Foundation/NSUserActivity.h>
