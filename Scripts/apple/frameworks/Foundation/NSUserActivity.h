#import <Foundation/NSValues.h>

NS_ASSUME_NONNULL_BEGIN

API_AVAILABLE(macos(10.10), ios(8.0), visionos(1.0))
@interface NSUserActivity : NSObject
@property (readonly, copy) NSString *activityType;
@end

NS_ASSUME_NONNULL_END
