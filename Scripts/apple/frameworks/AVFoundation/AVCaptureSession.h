#import <AVFoundation/AVCaptureDevice.h>
#import <AVFoundation/AVMedia.h>
#import <CoreMedia/CoreMedia.h>
#import <Foundation/Foundation.h>
#import <QuartzCore/QuartzCore.h>

NS_ASSUME_NONNULL_BEGIN

@class AVCaptureSession;

// MARK: Inputs, outputs, and what joins them

API_AVAILABLE(macos(10.7), ios(4.0), visionos(1.0))
@interface AVCaptureInput : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@end

API_AVAILABLE(macos(10.7), ios(4.0), visionos(1.0))
@interface AVCaptureInputPort : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@end

API_AVAILABLE(macos(10.7), ios(4.0), visionos(1.0))
@interface AVCaptureDeviceInput : AVCaptureInput
+ (nullable instancetype)deviceInputWithDevice:(AVCaptureDevice *)device
                                         error:(NSError *_Nullable *_Nullable)outError
    NS_SWIFT_UNAVAILABLE("Use init(device:)");
- (nullable instancetype)initWithDevice:(AVCaptureDevice *)device error:(NSError *_Nullable *_Nullable)outError;
@property (nonatomic, readonly) AVCaptureDevice *device;
- (NSArray<AVCaptureInputPort *> *)portsWithMediaType:(nullable AVMediaType)mediaType
                                     sourceDeviceType:(nullable AVCaptureDeviceType)sourceDeviceType
                                 sourceDevicePosition:(AVCaptureDevicePosition)sourceDevicePosition
    NS_SWIFT_NAME(ports(for:sourceDeviceType:sourceDevicePosition:)) API_AVAILABLE(ios(13.0)) API_UNAVAILABLE(macos, visionos);
@property (nonatomic) CMTime videoMinFrameDurationOverride API_AVAILABLE(ios(13.0)) API_UNAVAILABLE(macos, visionos);
@end

@class AVCaptureOutput;

API_AVAILABLE(macos(10.7), ios(4.0), visionos(1.0))
@interface AVCaptureConnection : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)initWithInputPorts:(NSArray<AVCaptureInputPort *> *)ports
                            output:(AVCaptureOutput *)output API_AVAILABLE(macos(10.7), ios(8.0), visionos(1.0));
@property (nonatomic, getter=isEnabled) BOOL enabled;
@property (nonatomic, readonly, getter=isActive) BOOL active;
@property (nonatomic, readonly, getter=isVideoMirroringSupported) BOOL supportsVideoMirroring;
@property (nonatomic, getter=isVideoMirrored) BOOL videoMirrored;
@property (nonatomic) BOOL automaticallyAdjustsVideoMirroring API_AVAILABLE(macos(10.7), ios(6.0), visionos(1.0));
- (BOOL)isVideoRotationAngleSupported:(CGFloat)videoRotationAngle API_AVAILABLE(macos(14.0), ios(17.0), visionos(1.0));
@property (nonatomic) CGFloat videoRotationAngle API_AVAILABLE(macos(14.0), ios(17.0), visionos(1.0));
@end

API_AVAILABLE(macos(10.7), ios(4.0), visionos(1.0))
@interface AVCaptureOutput : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
- (nullable AVCaptureConnection *)connectionWithMediaType:(AVMediaType)mediaType NS_SWIFT_NAME(connection(with:))
    API_AVAILABLE(macos(10.7), ios(5.0), visionos(1.0));
@end

// MARK: Pictures

API_AVAILABLE(macos(10.7), ios(4.0), visionos(1.0))
@protocol AVCaptureVideoDataOutputSampleBufferDelegate <NSObject>
@optional
- (void)captureOutput:(AVCaptureOutput *)output
    didOutputSampleBuffer:(CMSampleBufferRef)sampleBuffer
           fromConnection:(AVCaptureConnection *)connection NS_SWIFT_NAME(captureOutput(_:didOutput:from:));
- (void)captureOutput:(AVCaptureOutput *)output
    didDropSampleBuffer:(CMSampleBufferRef)sampleBuffer
         fromConnection:(AVCaptureConnection *)connection API_AVAILABLE(macos(10.7), ios(6.0), visionos(1.0));
@end

API_AVAILABLE(macos(10.7), ios(4.0), visionos(1.0))
@interface AVCaptureVideoDataOutput : AVCaptureOutput
- (instancetype)init;
+ (instancetype)new;
- (void)setSampleBufferDelegate:(nullable id<AVCaptureVideoDataOutputSampleBufferDelegate>)sampleBufferDelegate
                          queue:(nullable dispatch_queue_t)sampleBufferCallbackQueue;
@property (nonatomic, copy, null_resettable) NSDictionary<NSString *, id> *videoSettings;
@property (nonatomic) BOOL alwaysDiscardsLateVideoFrames;
@property (nonatomic, readonly) NSArray<NSNumber *> *availableVideoCVPixelFormatTypes NS_REFINED_FOR_SWIFT;
@end

// MARK: Photos

typedef NS_ENUM(NSInteger, AVCapturePhotoQualityPrioritization) {
    AVCapturePhotoQualityPrioritizationSpeed = 1,
    AVCapturePhotoQualityPrioritizationBalanced = 2,
    AVCapturePhotoQualityPrioritizationQuality = 3,
} NS_SWIFT_NAME(AVCapturePhotoOutput.QualityPrioritization) API_AVAILABLE(macos(13.0), ios(13.0)) API_UNAVAILABLE(visionos);

API_AVAILABLE(macos(10.15), ios(10.0)) API_UNAVAILABLE(visionos)
@interface AVCapturePhotoSettings : NSObject <NSCopying>
- (instancetype)init;
+ (instancetype)new;
+ (instancetype)photoSettings;
+ (instancetype)photoSettingsWithFormat:(nullable NSDictionary<NSString *, id> *)format;
@property (readonly) int64_t uniqueID;
@property (nonatomic) AVCaptureFlashMode flashMode API_AVAILABLE(macos(13.0), ios(10.0));
@property (nonatomic) AVCapturePhotoQualityPrioritization photoQualityPrioritization API_AVAILABLE(macos(13.0), ios(13.0));
@property (nonatomic) CMVideoDimensions maxPhotoDimensions API_AVAILABLE(macos(13.0), ios(16.0));
@end

API_AVAILABLE(macos(10.15), ios(10.0)) API_UNAVAILABLE(visionos)
@interface AVCaptureResolvedPhotoSettings : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@property (readonly) int64_t uniqueID;
@property (readonly) CMVideoDimensions photoDimensions;
@end

API_AVAILABLE(macos(10.15), ios(11.0)) API_UNAVAILABLE(visionos)
@interface AVCapturePhoto : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@property (readonly) CMTime timestamp;
@property (readonly) AVCaptureResolvedPhotoSettings *resolvedSettings;
- (nullable NSData *)fileDataRepresentation;
@end

@class AVCapturePhotoOutput;

API_AVAILABLE(macos(10.15), ios(10.0)) API_UNAVAILABLE(visionos)
@protocol AVCapturePhotoCaptureDelegate <NSObject>
@optional
- (void)captureOutput:(AVCapturePhotoOutput *)output
    didFinishProcessingPhoto:(AVCapturePhoto *)photo
                       error:(nullable NSError *)error
    NS_SWIFT_NAME(photoOutput(_:didFinishProcessingPhoto:error:)) API_AVAILABLE(macos(10.15), ios(11.0));
- (void)captureOutput:(AVCapturePhotoOutput *)output
    didFinishCaptureForResolvedSettings:(AVCaptureResolvedPhotoSettings *)resolvedSettings
                                  error:(nullable NSError *)error
    NS_SWIFT_NAME(photoOutput(_:didFinishCaptureFor:error:));
@end

API_AVAILABLE(macos(10.15), ios(10.0)) API_UNAVAILABLE(visionos)
@interface AVCapturePhotoOutput : AVCaptureOutput
- (instancetype)init;
+ (instancetype)new;
- (void)capturePhotoWithSettings:(AVCapturePhotoSettings *)settings
                        delegate:(id<AVCapturePhotoCaptureDelegate>)delegate NS_SWIFT_NAME(capturePhoto(with:delegate:));
@property (nonatomic, readonly) NSArray<AVVideoCodecType> *availablePhotoCodecTypes API_AVAILABLE(macos(10.15), ios(11.0));
@property (nonatomic) AVCapturePhotoQualityPrioritization maxPhotoQualityPrioritization
    API_AVAILABLE(macos(13.0), ios(13.0));
@property (nonatomic, readonly) NSArray<NSNumber *> *supportedFlashModes NS_REFINED_FOR_SWIFT
    API_AVAILABLE(macos(13.0), ios(10.0));
@property (nonatomic) CMVideoDimensions maxPhotoDimensions API_AVAILABLE(macos(13.0), ios(16.0));
@end

// MARK: The session

API_AVAILABLE(macos(10.7), ios(4.0), visionos(1.0))
@interface AVCaptureSession : NSObject
- (instancetype)init;
+ (instancetype)new;
- (BOOL)canSetSessionPreset:(AVCaptureSessionPreset)preset API_UNAVAILABLE(visionos);
@property (nonatomic, copy) AVCaptureSessionPreset sessionPreset API_UNAVAILABLE(visionos);
@property (nonatomic, readonly) NSArray<__kindof AVCaptureInput *> *inputs;
- (BOOL)canAddInput:(AVCaptureInput *)input;
- (void)addInput:(AVCaptureInput *)input;
- (void)removeInput:(AVCaptureInput *)input;
@property (nonatomic, readonly) NSArray<__kindof AVCaptureOutput *> *outputs;
- (BOOL)canAddOutput:(AVCaptureOutput *)output;
- (void)addOutput:(AVCaptureOutput *)output;
- (void)removeOutput:(AVCaptureOutput *)output;
- (void)addInputWithNoConnections:(AVCaptureInput *)input API_AVAILABLE(macos(10.7), ios(8.0), visionos(1.0));
- (void)addOutputWithNoConnections:(AVCaptureOutput *)output API_AVAILABLE(macos(10.7), ios(8.0), visionos(1.0));
@property (nonatomic, readonly) NSArray<AVCaptureConnection *> *connections
    API_AVAILABLE(macos(10.7), ios(13.0), visionos(1.0));
- (BOOL)canAddConnection:(AVCaptureConnection *)connection API_AVAILABLE(macos(10.7), ios(8.0), visionos(1.0));
- (void)addConnection:(AVCaptureConnection *)connection API_AVAILABLE(macos(10.7), ios(8.0), visionos(1.0));
- (void)beginConfiguration;
- (void)commitConfiguration;
@property (nonatomic, readonly, getter=isRunning) BOOL running;
@property (nonatomic, readonly, getter=isMultitaskingCameraAccessSupported) BOOL multitaskingCameraAccessSupported
    API_AVAILABLE(ios(16.0)) API_UNAVAILABLE(macos, visionos);
@property (nonatomic, getter=isMultitaskingCameraAccessEnabled) BOOL multitaskingCameraAccessEnabled
    API_AVAILABLE(ios(16.0)) API_UNAVAILABLE(macos, visionos);
- (void)startRunning;
- (void)stopRunning;
@property (nonatomic, readonly, nullable) CMClockRef synchronizationClock
    API_AVAILABLE(macos(12.3), ios(15.4), visionos(1.0));
@end

API_AVAILABLE(ios(13.0)) API_UNAVAILABLE(macos, visionos)
@interface AVCaptureMultiCamSession : AVCaptureSession
- (instancetype)init;
+ (instancetype)new;
@property (class, nonatomic, readonly, getter=isMultiCamSupported) BOOL multiCamSupported;
@property (nonatomic, readonly) float hardwareCost;
@property (nonatomic, readonly) float systemPressureCost;
@end

FOUNDATION_EXPORT NSNotificationName const AVCaptureSessionRuntimeErrorNotification
    NS_SWIFT_NAME(AVCaptureSession.runtimeErrorNotification) API_AVAILABLE(macos(10.7), ios(4.0), visionos(1.0));
FOUNDATION_EXPORT NSString *const AVCaptureSessionErrorKey API_AVAILABLE(macos(10.7), ios(4.0), visionos(1.0));
FOUNDATION_EXPORT NSNotificationName const AVCaptureSessionWasInterruptedNotification
    NS_SWIFT_NAME(AVCaptureSession.wasInterruptedNotification) API_AVAILABLE(macos(10.14), ios(4.0), visionos(1.0));
FOUNDATION_EXPORT NSNotificationName const AVCaptureSessionInterruptionEndedNotification
    NS_SWIFT_NAME(AVCaptureSession.interruptionEndedNotification) API_AVAILABLE(macos(10.14), ios(4.0), visionos(1.0));

// MARK: What shows it

API_AVAILABLE(macos(10.7), ios(4.0)) API_UNAVAILABLE(visionos)
@interface AVCaptureVideoPreviewLayer : CALayer
+ (instancetype)layerWithSession:(AVCaptureSession *)session;
- (instancetype)initWithSession:(AVCaptureSession *)session;
@property (nonatomic, retain, nullable) AVCaptureSession *session;
@property (nonatomic, readonly, nullable) AVCaptureConnection *connection API_AVAILABLE(macos(10.7), ios(6.0));
@property (copy) AVLayerVideoGravity videoGravity;
@end

NS_ASSUME_NONNULL_END
