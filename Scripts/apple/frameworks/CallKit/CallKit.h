// CallKit, as far as this package uses it. macOS has the framework, and nothing of this in it.
#import <AVFAudio/AVFAudio.h>
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

@class CXProvider;

// MARK: Whom one calls

typedef NS_ENUM(NSInteger, CXHandleType) {
    CXHandleTypeGeneric = 1,
    CXHandleTypePhoneNumber = 2,
    CXHandleTypeEmailAddress = 3,
} NS_SWIFT_NAME(CXHandle.HandleType) API_AVAILABLE(ios(10.0), visionos(1.0)) API_UNAVAILABLE(macos);

API_AVAILABLE(ios(10.0), visionos(1.0)) API_UNAVAILABLE(macos)
@interface CXHandle : NSObject <NSCopying, NSSecureCoding>
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)initWithType:(CXHandleType)type value:(NSString *)value NS_DESIGNATED_INITIALIZER;
@property (nonatomic, readonly) CXHandleType type;
@property (nonatomic, readonly, copy) NSString *value;
@end

// MARK: Actions

API_AVAILABLE(ios(10.0), visionos(1.0)) API_UNAVAILABLE(macos)
@interface CXAction : NSObject <NSCopying, NSSecureCoding>
- (instancetype)init NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)aDecoder NS_DESIGNATED_INITIALIZER;
@property (nonatomic, readonly, copy) NSUUID *UUID;
@property (nonatomic, readonly, getter=isComplete) BOOL complete;
@property (nonatomic, readonly) NSDate *timeoutDate;
- (void)fulfill;
- (void)fail;
@end

API_AVAILABLE(ios(10.0), visionos(1.0)) API_UNAVAILABLE(macos)
@interface CXCallAction : CXAction
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)initWithCallUUID:(NSUUID *)callUUID NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)aDecoder NS_DESIGNATED_INITIALIZER;
@property (nonatomic, readonly, copy) NSUUID *callUUID;
@end

API_AVAILABLE(ios(10.0), visionos(1.0)) API_UNAVAILABLE(macos)
@interface CXStartCallAction : CXCallAction
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)initWithCallUUID:(NSUUID *)callUUID NS_UNAVAILABLE;
- (instancetype)initWithCallUUID:(NSUUID *)callUUID handle:(CXHandle *)handle NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)aDecoder NS_DESIGNATED_INITIALIZER;
@property (nonatomic, copy) CXHandle *handle;
@property (nonatomic, copy, nullable) NSString *contactIdentifier;
@property (nonatomic, getter=isVideo) BOOL video;
@end

API_AVAILABLE(ios(10.0), visionos(1.0)) API_UNAVAILABLE(macos)
@interface CXAnswerCallAction : CXCallAction
@end

API_AVAILABLE(ios(10.0), visionos(1.0)) API_UNAVAILABLE(macos)
@interface CXEndCallAction : CXCallAction
@end

API_AVAILABLE(ios(10.0), visionos(1.0)) API_UNAVAILABLE(macos)
@interface CXSetHeldCallAction : CXCallAction
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)initWithCallUUID:(NSUUID *)callUUID NS_UNAVAILABLE;
- (instancetype)initWithCallUUID:(NSUUID *)callUUID onHold:(BOOL)onHold NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)aDecoder NS_DESIGNATED_INITIALIZER;
@property (nonatomic, getter=isOnHold) BOOL onHold;
@end

API_AVAILABLE(ios(10.0), visionos(1.0)) API_UNAVAILABLE(macos)
@interface CXSetMutedCallAction : CXCallAction
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)initWithCallUUID:(NSUUID *)callUUID NS_UNAVAILABLE;
- (instancetype)initWithCallUUID:(NSUUID *)callUUID muted:(BOOL)muted NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)aDecoder NS_DESIGNATED_INITIALIZER;
@property (nonatomic, getter=isMuted) BOOL muted;
@end

API_AVAILABLE(ios(10.0), visionos(1.0)) API_UNAVAILABLE(macos)
@interface CXTransaction : NSObject <NSCopying, NSSecureCoding>
- (instancetype)init;
- (instancetype)initWithActions:(NSArray<CXAction *> *)actions NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)aDecoder NS_DESIGNATED_INITIALIZER;
- (instancetype)initWithAction:(CXAction *)action;
@end

API_AVAILABLE(ios(10.0), visionos(1.0)) API_UNAVAILABLE(macos)
@interface CXCallController : NSObject
- (instancetype)init;
- (instancetype)initWithQueue:(dispatch_queue_t)queue NS_DESIGNATED_INITIALIZER;
- (void)requestTransaction:(CXTransaction *)transaction
                completion:(void (NS_SWIFT_SENDABLE ^)(NSError *_Nullable error))completion;
@end

// MARK: The provider

API_AVAILABLE(ios(10.0), visionos(1.0)) API_UNAVAILABLE(macos)
@interface CXCallUpdate : NSObject <NSCopying>
@property (nonatomic, copy, nullable) CXHandle *remoteHandle;
@property (nonatomic, copy, nullable) NSString *localizedCallerName;
@property (nonatomic) BOOL supportsHolding;
@property (nonatomic) BOOL supportsGrouping;
@property (nonatomic) BOOL supportsUngrouping;
@property (nonatomic) BOOL supportsDTMF;
@property (nonatomic) BOOL hasVideo;
@end

API_AVAILABLE(macos(13.0), ios(10.0), visionos(1.0))
@interface CXProviderConfiguration : NSObject <NSCopying>
- (instancetype)init NS_DESIGNATED_INITIALIZER API_AVAILABLE(macos(13.0), ios(14.0), visionos(1.0));
@property (nonatomic, strong, nullable) NSString *ringtoneSound;
@property (nonatomic, copy, nullable) NSData *iconTemplateImageData;
@property (nonatomic) NSUInteger maximumCallGroups;
@property (nonatomic) NSUInteger maximumCallsPerCallGroup;
@property (nonatomic) BOOL includesCallsInRecents API_AVAILABLE(macos(13.0), ios(11.0), visionos(1.0));
@property (nonatomic) BOOL supportsVideo;
@property (nonatomic, copy) NSSet<NSNumber *> *supportedHandleTypes NS_REFINED_FOR_SWIFT;
@end

typedef NS_ENUM(NSInteger, CXCallEndedReason) {
    CXCallEndedReasonFailed = 1,
    CXCallEndedReasonRemoteEnded = 2,
    CXCallEndedReasonUnanswered = 3,
    CXCallEndedReasonAnsweredElsewhere = 4,
    CXCallEndedReasonDeclinedElsewhere = 5,
} API_AVAILABLE(ios(10.0), visionos(1.0)) API_UNAVAILABLE(macos);

API_AVAILABLE(ios(10.0), visionos(1.0)) API_UNAVAILABLE(macos)
@protocol CXProviderDelegate <NSObject>
- (void)providerDidReset:(CXProvider *)provider;
@optional
- (void)providerDidBegin:(CXProvider *)provider;
- (BOOL)provider:(CXProvider *)provider executeTransaction:(CXTransaction *)transaction;
- (void)provider:(CXProvider *)provider performStartCallAction:(CXStartCallAction *)action;
- (void)provider:(CXProvider *)provider performAnswerCallAction:(CXAnswerCallAction *)action;
- (void)provider:(CXProvider *)provider performEndCallAction:(CXEndCallAction *)action;
- (void)provider:(CXProvider *)provider performSetHeldCallAction:(CXSetHeldCallAction *)action;
- (void)provider:(CXProvider *)provider performSetMutedCallAction:(CXSetMutedCallAction *)action;
- (void)provider:(CXProvider *)provider timedOutPerformingAction:(CXAction *)action;
- (void)provider:(CXProvider *)provider didActivateAudioSession:(AVAudioSession *)audioSession;
- (void)provider:(CXProvider *)provider didDeactivateAudioSession:(AVAudioSession *)audioSession;
@end

API_AVAILABLE(ios(10.0), visionos(1.0)) API_UNAVAILABLE(macos)
@interface CXProvider : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)initWithConfiguration:(CXProviderConfiguration *)configuration NS_DESIGNATED_INITIALIZER;
- (void)setDelegate:(nullable id<CXProviderDelegate>)delegate queue:(nullable dispatch_queue_t)queue;
- (void)reportNewIncomingCallWithUUID:(NSUUID *)UUID
                               update:(CXCallUpdate *)update
                           completion:(void (NS_SWIFT_SENDABLE ^)(NSError *_Nullable error))completion;
- (void)reportCallWithUUID:(NSUUID *)UUID updated:(CXCallUpdate *)update;
- (void)reportCallWithUUID:(NSUUID *)UUID endedAtDate:(nullable NSDate *)dateEnded reason:(CXCallEndedReason)endedReason;
- (void)reportOutgoingCallWithUUID:(NSUUID *)UUID startedConnectingAtDate:(nullable NSDate *)dateStartedConnecting;
- (void)reportOutgoingCallWithUUID:(NSUUID *)UUID connectedAtDate:(nullable NSDate *)dateConnected;
@property (nonatomic, readwrite, copy) CXProviderConfiguration *configuration;
- (void)invalidate;
@end

// MARK: Why a call is refused

FOUNDATION_EXPORT NSErrorDomain const CXErrorDomainIncomingCall API_AVAILABLE(ios(10.0), visionos(1.0)) API_UNAVAILABLE(macos);

typedef NS_ERROR_ENUM(CXErrorDomainIncomingCall, CXErrorCodeIncomingCallError) {
    CXErrorCodeIncomingCallErrorUnknown = 0,
    CXErrorCodeIncomingCallErrorUnentitled = 1,
    CXErrorCodeIncomingCallErrorCallUUIDAlreadyExists = 2,
    CXErrorCodeIncomingCallErrorFilteredByDoNotDisturb = 3,
    CXErrorCodeIncomingCallErrorFilteredByBlockList = 4,
    CXErrorCodeIncomingCallErrorFilteredDuringRestrictedSharingMode = 5,
    CXErrorCodeIncomingCallErrorCallIsProtected = 6,
    CXErrorCodeIncomingCallErrorFilteredBySensitiveParticipants = 7,
} API_AVAILABLE(ios(10.0), visionos(1.0)) API_UNAVAILABLE(macos);

NS_ASSUME_NONNULL_END
