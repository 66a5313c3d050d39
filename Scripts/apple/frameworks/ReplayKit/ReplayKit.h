// ReplayKit, as far as the example uses it.
#import <CoreMedia/CoreMedia.h>
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(NSInteger, RPSampleBufferType) {
    RPSampleBufferTypeVideo = 1,
    RPSampleBufferTypeAudioApp = 2,
    RPSampleBufferTypeAudioMic = 3,
} API_AVAILABLE(macos(11.0), ios(10.0));

API_AVAILABLE(macos(11.0), ios(9.0))
@interface RPScreenRecorder : NSObject
+ (RPScreenRecorder *)sharedRecorder NS_SWIFT_NAME(shared());
- (instancetype)init;
- (void)startCaptureWithHandler:(nullable void (^)(CMSampleBufferRef sampleBuffer, RPSampleBufferType bufferType,
                                                   NSError *_Nullable error))captureHandler
              completionHandler:(nullable void (NS_SWIFT_SENDABLE ^)(NSError *_Nullable error))completionHandler
    API_AVAILABLE(macos(11.0), ios(11.0));
- (void)stopCaptureWithHandler:(nullable void (^)(NSError *_Nullable error))handler API_AVAILABLE(macos(11.0), ios(11.0));
@property (nonatomic, readonly, getter=isAvailable) BOOL available;
@end

NS_ASSUME_NONNULL_END
