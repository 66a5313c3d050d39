#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

// MARK: Kinds of sessions

typedef NSString *AVAudioSessionCategory NS_TYPED_ENUM NS_SWIFT_NAME(AVAudioSession.Category);
FOUNDATION_EXPORT AVAudioSessionCategory const AVAudioSessionCategoryPlayAndRecord API_UNAVAILABLE(macos);

typedef NSString *AVAudioSessionMode NS_TYPED_ENUM NS_SWIFT_NAME(AVAudioSession.Mode);
FOUNDATION_EXPORT AVAudioSessionMode const AVAudioSessionModeVoiceChat API_UNAVAILABLE(macos);
FOUNDATION_EXPORT AVAudioSessionMode const AVAudioSessionModeVideoChat API_UNAVAILABLE(macos);

typedef NS_OPTIONS(NSUInteger, AVAudioSessionCategoryOptions) {
    AVAudioSessionCategoryOptionMixWithOthers = 0x1,
    AVAudioSessionCategoryOptionDuckOthers = 0x2,
    AVAudioSessionCategoryOptionAllowBluetooth API_DEPRECATED_WITH_REPLACEMENT(
        "AVAudioSessionCategoryOptionAllowBluetoothHFP", ios(1.0, 8.0), visionos(1.0, 1.0)) API_UNAVAILABLE(macos) = 0x4,
    AVAudioSessionCategoryOptionAllowBluetoothHFP API_UNAVAILABLE(macos) = 0x4,
    AVAudioSessionCategoryOptionDefaultToSpeaker = 0x8,
    AVAudioSessionCategoryOptionInterruptSpokenAudioAndMixWithOthers = 0x11,
    AVAudioSessionCategoryOptionAllowBluetoothA2DP = 0x20,
    AVAudioSessionCategoryOptionAllowAirPlay = 0x40,
} NS_SWIFT_NAME(AVAudioSession.CategoryOptions);

typedef NS_OPTIONS(NSUInteger, AVAudioSessionSetActiveOptions) {
    AVAudioSessionSetActiveOptionNotifyOthersOnDeactivation = 1,
} NS_SWIFT_NAME(AVAudioSession.SetActiveOptions);

typedef NS_ENUM(NSUInteger, AVAudioSessionPortOverride) {
    AVAudioSessionPortOverrideNone = 0,
    AVAudioSessionPortOverrideSpeaker API_UNAVAILABLE(macos) = 'spkr',
} NS_SWIFT_NAME(AVAudioSession.PortOverride);

// MARK: Ports

typedef NSString *AVAudioSessionPort NS_TYPED_ENUM NS_SWIFT_NAME(AVAudioSession.Port);
FOUNDATION_EXPORT AVAudioSessionPort const AVAudioSessionPortBuiltInMic API_UNAVAILABLE(macos);
FOUNDATION_EXPORT AVAudioSessionPort const AVAudioSessionPortBuiltInReceiver API_UNAVAILABLE(macos);
FOUNDATION_EXPORT AVAudioSessionPort const AVAudioSessionPortBuiltInSpeaker API_UNAVAILABLE(macos);
FOUNDATION_EXPORT AVAudioSessionPort const AVAudioSessionPortHeadphones API_UNAVAILABLE(macos);
FOUNDATION_EXPORT AVAudioSessionPort const AVAudioSessionPortUSBAudio API_UNAVAILABLE(macos);
FOUNDATION_EXPORT AVAudioSessionPort const AVAudioSessionPortBluetoothHFP API_UNAVAILABLE(macos);
FOUNDATION_EXPORT AVAudioSessionPort const AVAudioSessionPortBluetoothA2DP API_UNAVAILABLE(macos);
FOUNDATION_EXPORT AVAudioSessionPort const AVAudioSessionPortBluetoothLE API_UNAVAILABLE(macos);
FOUNDATION_EXPORT AVAudioSessionPort const AVAudioSessionPortCarAudio API_UNAVAILABLE(macos);
FOUNDATION_EXPORT AVAudioSessionPort const AVAudioSessionPortAirPlay API_UNAVAILABLE(macos);

API_UNAVAILABLE(macos) NS_SWIFT_SENDABLE
@interface AVAudioSessionPortDescription : NSObject
@property (readonly) AVAudioSessionPort portType;
@property (readonly) NSString *portName;
@property (readonly) NSString *UID;
@end

API_UNAVAILABLE(macos) NS_SWIFT_SENDABLE
@interface AVAudioSessionRouteDescription : NSObject
@property (readonly) NSArray<AVAudioSessionPortDescription *> *inputs;
@property (readonly) NSArray<AVAudioSessionPortDescription *> *outputs;
@end

// MARK: The session

API_UNAVAILABLE(macos) NS_SWIFT_SENDABLE
@interface AVAudioSession : NSObject
+ (AVAudioSession *)sharedInstance;

@property (readonly) AVAudioSessionCategory category;
- (BOOL)setCategory:(AVAudioSessionCategory)category
               mode:(AVAudioSessionMode)mode
            options:(AVAudioSessionCategoryOptions)options
              error:(NSError *_Nullable *_Nullable)outError;

- (BOOL)setActive:(BOOL)active error:(NSError *_Nullable *_Nullable)outError
    NS_SWIFT_UNAVAILABLE("setActive(_:options:) has a default");
- (BOOL)setActive:(BOOL)active
      withOptions:(AVAudioSessionSetActiveOptions)options
            error:(NSError *_Nullable *_Nullable)outError NS_SWIFT_NAME(setActive(_:options:));

@property (readonly) AVAudioSessionRouteDescription *currentRoute;
@property (readonly, nullable) NSArray<AVAudioSessionPortDescription *> *availableInputs;
- (BOOL)setPreferredInput:(nullable AVAudioSessionPortDescription *)inPort
                    error:(NSError *_Nullable *_Nullable)outError;
@property (readonly, getter=isInputAvailable) BOOL inputAvailable;
@property (readonly) double sampleRate;
@property (readonly) NSTimeInterval inputLatency;
@property (readonly) NSTimeInterval outputLatency;
@property (readonly) NSTimeInterval IOBufferDuration;
- (BOOL)overrideOutputAudioPort:(AVAudioSessionPortOverride)portOverride
                          error:(NSError *_Nullable *_Nullable)outError;

- (BOOL)setPrefersInterruptionOnRouteDisconnect:(BOOL)inValue
                                          error:(NSError *_Nullable *_Nullable)outError
    API_AVAILABLE(ios(17.0), visionos(1.0));
- (BOOL)setPrefersNoInterruptionsFromSystemAlerts:(BOOL)inValue
                                            error:(NSError *_Nullable *_Nullable)outError
    API_AVAILABLE(ios(14.5), visionos(1.0));
@end

// MARK: Notifications

FOUNDATION_EXPORT NSNotificationName const AVAudioSessionInterruptionNotification
    API_UNAVAILABLE(macos) NS_SWIFT_NAME(AVAudioSession.interruptionNotification);
FOUNDATION_EXPORT NSNotificationName const AVAudioSessionRouteChangeNotification
    API_UNAVAILABLE(macos) NS_SWIFT_NAME(AVAudioSession.routeChangeNotification);
FOUNDATION_EXPORT NSNotificationName const AVAudioSessionMediaServicesWereLostNotification
    API_UNAVAILABLE(macos) NS_SWIFT_NAME(AVAudioSession.mediaServicesWereLostNotification);
FOUNDATION_EXPORT NSNotificationName const AVAudioSessionMediaServicesWereResetNotification
    API_UNAVAILABLE(macos) NS_SWIFT_NAME(AVAudioSession.mediaServicesWereResetNotification);

FOUNDATION_EXPORT NSString *const AVAudioSessionInterruptionTypeKey API_UNAVAILABLE(macos);
FOUNDATION_EXPORT NSString *const AVAudioSessionInterruptionOptionKey API_UNAVAILABLE(macos);
FOUNDATION_EXPORT NSString *const AVAudioSessionRouteChangeReasonKey API_UNAVAILABLE(macos);
FOUNDATION_EXPORT NSString *const AVAudioSessionRouteChangePreviousRouteKey API_UNAVAILABLE(macos);

typedef NS_ENUM(NSUInteger, AVAudioSessionInterruptionType) {
    AVAudioSessionInterruptionTypeBegan = 1,
    AVAudioSessionInterruptionTypeEnded = 0,
} NS_SWIFT_NAME(AVAudioSession.InterruptionType);

typedef NS_OPTIONS(NSUInteger, AVAudioSessionInterruptionOptions) {
    AVAudioSessionInterruptionOptionShouldResume = 1,
} NS_SWIFT_NAME(AVAudioSession.InterruptionOptions);

typedef NS_ENUM(NSUInteger, AVAudioSessionRouteChangeReason) {
    AVAudioSessionRouteChangeReasonUnknown = 0,
    AVAudioSessionRouteChangeReasonNewDeviceAvailable = 1,
    AVAudioSessionRouteChangeReasonOldDeviceUnavailable = 2,
    AVAudioSessionRouteChangeReasonCategoryChange = 3,
    AVAudioSessionRouteChangeReasonOverride = 4,
    AVAudioSessionRouteChangeReasonWakeFromSleep = 6,
    AVAudioSessionRouteChangeReasonNoSuitableRouteForCategory = 7,
    AVAudioSessionRouteChangeReasonRouteConfigurationChange = 8,
} NS_SWIFT_NAME(AVAudioSession.RouteChangeReason);

NS_ASSUME_NONNULL_END
