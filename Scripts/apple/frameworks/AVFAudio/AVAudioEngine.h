#import <AudioToolbox/AudioToolbox.h>
#import <CoreAudioTypes/CoreAudioTypes.h>
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

typedef UInt32 AVAudioFrameCount;
typedef UInt32 AVAudioChannelCount;
typedef NSUInteger AVAudioNodeBus;

// MARK: Settings

FOUNDATION_EXPORT NSString *const AVFormatIDKey;
FOUNDATION_EXPORT NSString *const AVSampleRateKey;
FOUNDATION_EXPORT NSString *const AVNumberOfChannelsKey;
FOUNDATION_EXPORT NSString *const AVEncoderBitRateKey;

NS_SWIFT_SENDABLE
@interface AVAudioFormat : NSObject <NSSecureCoding>
- (nullable instancetype)initStandardFormatWithSampleRate:(double)sampleRate channels:(AVAudioChannelCount)channels;
@property (nonatomic, readonly) double sampleRate;
@property (nonatomic, readonly) AVAudioChannelCount channelCount;
@end

// MARK: Nodes

@interface AVAudioNode : NSObject
- (instancetype)init;
- (AVAudioFormat *)outputFormatForBus:(AVAudioNodeBus)bus;
@end

@interface AVAudioIONode : AVAudioNode
@property (nonatomic, readonly) NSTimeInterval presentationLatency;
@property (nonatomic, readonly, nullable) AudioUnit audioUnit;
- (BOOL)setVoiceProcessingEnabled:(BOOL)enabled error:(NSError *_Nullable *_Nullable)outError
    API_AVAILABLE(macos(10.15), ios(13.0), visionos(1.0));
@end

@interface AVAudioInputNode : AVAudioIONode
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@end

@interface AVAudioOutputNode : AVAudioIONode
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@end

@interface AVAudioMixerNode : AVAudioNode
- (instancetype)init;
@end

typedef OSStatus (NS_SWIFT_SENDABLE ^AVAudioSourceNodeRenderBlock)(
    BOOL *isSilence, const AudioTimeStamp *timestamp, AVAudioFrameCount frameCount, AudioBufferList *outputData);

API_AVAILABLE(macos(10.15), ios(13.0), visionos(1.0))
@interface AVAudioSourceNode : AVAudioNode
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)initWithRenderBlock:(AVAudioSourceNodeRenderBlock)block;
- (instancetype)initWithFormat:(AVAudioFormat *)format renderBlock:(AVAudioSourceNodeRenderBlock)block;
@end

typedef OSStatus (NS_SWIFT_SENDABLE ^AVAudioSinkNodeReceiverBlock)(
    const AudioTimeStamp *timestamp, AVAudioFrameCount frameCount, const AudioBufferList *inputData);

API_AVAILABLE(macos(10.15), ios(13.0), visionos(1.0))
@interface AVAudioSinkNode : AVAudioNode
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)initWithReceiverBlock:(AVAudioSinkNodeReceiverBlock)block NS_DESIGNATED_INITIALIZER;
@end

// MARK: The engine

FOUNDATION_EXPORT NSString *const AVAudioEngineConfigurationChangeNotification;

@interface AVAudioEngine : NSObject
- (instancetype)init;
- (void)attachNode:(AVAudioNode *)node;
- (void)connect:(AVAudioNode *)node1 to:(AVAudioNode *)node2 format:(nullable AVAudioFormat *)format;
- (BOOL)startAndReturnError:(NSError *_Nullable *_Nullable)outError;
- (void)stop;
@property (nonatomic, readonly) AVAudioInputNode *inputNode;
@property (nonatomic, readonly) AVAudioOutputNode *outputNode;
@property (nonatomic, readonly) AVAudioMixerNode *mainMixerNode;
@property (nonatomic, readonly, getter=isRunning) BOOL running;
@end

NS_ASSUME_NONNULL_END
