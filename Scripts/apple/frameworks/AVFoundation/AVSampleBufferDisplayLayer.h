#import <AVFoundation/AVMedia.h>
#import <CoreMedia/CoreMedia.h>
#import <Foundation/Foundation.h>
#import <QuartzCore/QuartzCore.h>

NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(NSInteger, AVQueuedSampleBufferRenderingStatus) {
    AVQueuedSampleBufferRenderingStatusUnknown = 0,
    AVQueuedSampleBufferRenderingStatusRendering = 1,
    AVQueuedSampleBufferRenderingStatusFailed = 2,
};

@protocol AVQueuedSampleBufferRendering <NSObject>
- (void)enqueueSampleBuffer:(CMSampleBufferRef)sampleBuffer;
- (void)flush;
@property (readonly, getter=isReadyForMoreMediaData) BOOL readyForMoreMediaData;
@end

API_AVAILABLE(macos(14.0), ios(17.0), visionos(1.0))
@interface AVSampleBufferVideoRenderer : NSObject <AVQueuedSampleBufferRendering>
@property (readonly) AVQueuedSampleBufferRenderingStatus status;
@property (readonly, nullable) NSError *error;
@property (readonly) BOOL requiresFlushToResumeDecoding;
- (void)flushWithRemovalOfDisplayedImage:(BOOL)removeDisplayedImage
                       completionHandler:(nullable void (NS_SWIFT_SENDABLE ^)(void))handler
    NS_SWIFT_NAME(flush(removingDisplayedImage:completionHandler:));
@end

@interface AVSampleBufferDisplayLayer : CALayer
@property (copy) AVLayerVideoGravity videoGravity;
@property (nonatomic, readonly) AVSampleBufferVideoRenderer *sampleBufferRenderer
    API_AVAILABLE(macos(14.0), ios(17.0), visionos(1.0));
@end

// MARK: What its renderer does now

@interface AVSampleBufferDisplayLayer (AVSampleBufferDisplayLayerQueueManagement) <AVQueuedSampleBufferRendering>
@property (nonatomic, readonly) AVQueuedSampleBufferRenderingStatus status
    API_DEPRECATED("Use sampleBufferRenderer's", macos(10.10, 15.0), ios(8.0, 18.0), visionos(1.0, 2.0));
@property (nonatomic, readonly, nullable) NSError *error
    API_DEPRECATED("Use sampleBufferRenderer's", macos(10.10, 15.0), ios(8.0, 18.0), visionos(1.0, 2.0));
@property (nonatomic, readonly) BOOL requiresFlushToResumeDecoding
    API_DEPRECATED("Use sampleBufferRenderer's", macos(11.0, 15.0), ios(14.0, 18.0), visionos(1.0, 2.0));
@property (nonatomic, readonly, getter=isReadyForMoreMediaData) BOOL readyForMoreMediaData
    API_DEPRECATED("Use sampleBufferRenderer's", macos(10.8, 15.0), ios(8.0, 18.0), visionos(1.0, 2.0));
- (void)enqueueSampleBuffer:(CMSampleBufferRef)sampleBuffer
    API_DEPRECATED("Use sampleBufferRenderer's", macos(10.8, 15.0), ios(8.0, 18.0), visionos(1.0, 2.0));
- (void)flush API_DEPRECATED("Use sampleBufferRenderer's", macos(10.8, 15.0), ios(8.0, 18.0), visionos(1.0, 2.0));
- (void)flushAndRemoveImage
    API_DEPRECATED("Use sampleBufferRenderer's", macos(10.8, 15.0), ios(8.0, 18.0), visionos(1.0, 2.0));
@end

NS_ASSUME_NONNULL_END
