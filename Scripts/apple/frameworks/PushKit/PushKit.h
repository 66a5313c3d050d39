// PushKit, as far as this package uses it.
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

@class PKPushRegistry;

typedef NSString *PKPushType NS_TYPED_ENUM;
FOUNDATION_EXPORT PKPushType const PKPushTypeVoIP API_AVAILABLE(ios(9.0), visionos(1.0)) API_UNAVAILABLE(macos);

API_AVAILABLE(macos(10.15), ios(8.0), visionos(1.0))
@interface PKPushCredentials : NSObject
@property (readonly, copy) PKPushType type;
@property (readonly, copy) NSData *token;
@end

API_AVAILABLE(macos(10.15), ios(8.0), visionos(1.0))
@interface PKPushPayload : NSObject
@property (readonly, copy) PKPushType type;
@property (readonly, copy) NSDictionary *dictionaryPayload;
@end

API_AVAILABLE(macos(10.15), ios(8.0), visionos(1.0))
@protocol PKPushRegistryDelegate <NSObject>
- (void)pushRegistry:(PKPushRegistry *)registry
    didUpdatePushCredentials:(PKPushCredentials *)pushCredentials
                     forType:(PKPushType)type NS_SWIFT_NAME(pushRegistry(_:didUpdate:for:));
@optional
- (void)pushRegistry:(PKPushRegistry *)registry
    didReceiveIncomingPushWithPayload:(PKPushPayload *)payload
                              forType:(PKPushType)type
    NS_SWIFT_NAME(pushRegistry(_:didReceiveIncomingPushWith:for:))
    API_DEPRECATED("Use the method with a completion handler", ios(8.0, 11.0), visionos(1.0, 1.0)) API_UNAVAILABLE(macos);
- (void)pushRegistry:(PKPushRegistry *)registry
    didReceiveIncomingPushWithPayload:(PKPushPayload *)payload
                              forType:(PKPushType)type
                withCompletionHandler:(void (NS_SWIFT_SENDABLE ^)(void))completion
    NS_SWIFT_NAME(pushRegistry(_:didReceiveIncomingPushWith:for:completion:))
    API_AVAILABLE(macos(10.15), ios(11.0), visionos(1.0));
- (void)pushRegistry:(PKPushRegistry *)registry
    didInvalidatePushTokenForType:(PKPushType)type NS_SWIFT_NAME(pushRegistry(_:didInvalidatePushTokenFor:));
@end

API_AVAILABLE(macos(10.15), ios(8.0), visionos(1.0))
@interface PKPushRegistry : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)initWithQueue:(nullable dispatch_queue_t)queue NS_DESIGNATED_INITIALIZER;
@property (readwrite, weak, nullable) id<PKPushRegistryDelegate> delegate;
@property (readwrite, copy, nullable) NSSet<PKPushType> *desiredPushTypes;
- (nullable NSData *)pushTokenForType:(PKPushType)type NS_SWIFT_NAME(pushToken(for:));
@end

NS_ASSUME_NONNULL_END
