#import <AVFoundation/AVMedia.h>
#import <CoreMedia/CoreMedia.h>
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

@class AVAssetWriterInput;

typedef NS_ENUM(NSInteger, AVAssetWriterStatus) {
    AVAssetWriterStatusUnknown = 0,
    AVAssetWriterStatusWriting = 1,
    AVAssetWriterStatusCompleted = 2,
    AVAssetWriterStatusFailed = 3,
    AVAssetWriterStatusCancelled = 4,
} NS_SWIFT_NAME(AVAssetWriter.Status);

@interface AVAssetWriter : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
- (nullable instancetype)initWithURL:(NSURL *)outputURL
                            fileType:(AVFileType)outputFileType
                               error:(NSError *_Nullable *_Nullable)outError
    NS_DESIGNATED_INITIALIZER NS_SWIFT_NAME(init(outputURL:fileType:));
@property (readonly) AVAssetWriterStatus status;
@property (readonly, nullable) NSError *error;
@property (nonatomic) CMTime movieFragmentInterval;
- (BOOL)canApplyOutputSettings:(nullable NSDictionary<NSString *, id> *)outputSettings
                  forMediaType:(AVMediaType)mediaType NS_SWIFT_NAME(canApply(outputSettings:forMediaType:));
- (BOOL)canAddInput:(AVAssetWriterInput *)input NS_SWIFT_NAME(canAdd(_:));
- (void)addInput:(AVAssetWriterInput *)input NS_SWIFT_NAME(add(_:));
- (BOOL)startWriting;
- (void)startSessionAtSourceTime:(CMTime)startTime;
- (void)finishWritingWithCompletionHandler:(void (NS_SWIFT_SENDABLE ^)(void))handler;
@end

@interface AVAssetWriterInput : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)initWithMediaType:(AVMediaType)mediaType
                   outputSettings:(nullable NSDictionary<NSString *, id> *)outputSettings;
- (instancetype)initWithMediaType:(AVMediaType)mediaType
                   outputSettings:(nullable NSDictionary<NSString *, id> *)outputSettings
                 sourceFormatHint:(nullable CMFormatDescriptionRef)sourceFormatHint NS_DESIGNATED_INITIALIZER;
@property (nonatomic) BOOL expectsMediaDataInRealTime;
@property (nonatomic, readonly, getter=isReadyForMoreMediaData) BOOL readyForMoreMediaData;
@property (nonatomic) CGAffineTransform transform;
@property (nonatomic) CMTimeScale mediaTimeScale;
- (BOOL)appendSampleBuffer:(CMSampleBufferRef)sampleBuffer;
- (void)markAsFinished;
@end

@interface AVAssetWriterInputPixelBufferAdaptor : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)initWithAssetWriterInput:(AVAssetWriterInput *)input
             sourcePixelBufferAttributes:(nullable NSDictionary<NSString *, id> *)sourcePixelBufferAttributes
    NS_DESIGNATED_INITIALIZER;
@property (nonatomic, readonly) AVAssetWriterInput *assetWriterInput;
- (BOOL)appendPixelBuffer:(CVPixelBufferRef)pixelBuffer withPresentationTime:(CMTime)presentationTime;
@end

NS_ASSUME_NONNULL_END
