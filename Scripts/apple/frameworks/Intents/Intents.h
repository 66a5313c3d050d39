// Intents, as far as an app needs it that is asked to call back.
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(NSInteger, INCallCapability) {
    INCallCapabilityUnknown = 0,
    INCallCapabilityAudioCall,
    INCallCapabilityVideoCall,
} API_AVAILABLE(ios(10.0), macos(12.0), visionos(1.0));

API_AVAILABLE(ios(10.0), macos(12.0), visionos(1.0))
@interface INIntent : NSObject <NSCopying, NSSecureCoding>
@end

API_AVAILABLE(ios(10.0), macos(12.0), visionos(1.0))
@interface INPersonHandle : NSObject <NSCopying, NSSecureCoding>
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@property (readonly, copy, nullable) NSString *value;
@end

API_AVAILABLE(ios(10.0), macos(12.0), visionos(1.0))
@interface INPerson : NSObject <NSCopying, NSSecureCoding>
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@property (readonly, copy, nullable) INPersonHandle *personHandle;
@property (readonly, copy) NSString *displayName;
@end

API_AVAILABLE(ios(13.0), macos(12.0), visionos(1.0))
@interface INStartCallIntent : INIntent
@property (readonly, copy, nullable) NSArray<INPerson *> *contacts;
@property (readonly) INCallCapability callCapability;
@end

API_AVAILABLE(ios(10.0), macos(12.0), visionos(1.0))
@interface INInteraction : NSObject <NSCopying, NSSecureCoding>
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@property (readonly, copy) INIntent *intent;
@end

@interface NSUserActivity (IntentsAdditions)
@property (readonly, nullable) INInteraction *interaction API_AVAILABLE(ios(10.0), macos(12.0), visionos(1.0));
@end

NS_ASSUME_NONNULL_END
