#import <AVFoundation/AVMedia.h>
#import <CoreMedia/CoreMedia.h>
#import <Foundation/Foundation.h>
#import <QuartzCore/QuartzCore.h>

NS_ASSUME_NONNULL_BEGIN

// MARK: Kinds of devices

typedef NS_ENUM(NSInteger, AVAuthorizationStatus) {
    AVAuthorizationStatusNotDetermined = 0,
    AVAuthorizationStatusRestricted = 1,
    AVAuthorizationStatusDenied = 2,
    AVAuthorizationStatusAuthorized = 3,
} API_AVAILABLE(macos(10.14), ios(7.0), visionos(1.0));

typedef NSString *AVCaptureDeviceType NS_TYPED_ENUM NS_SWIFT_NAME(AVCaptureDevice.DeviceType)
    API_AVAILABLE(macos(10.15), ios(10.0), visionos(1.0));
FOUNDATION_EXPORT AVCaptureDeviceType const AVCaptureDeviceTypeExternal
    API_AVAILABLE(macos(14.0), ios(17.0), visionos(2.1));
FOUNDATION_EXPORT AVCaptureDeviceType const AVCaptureDeviceTypeMicrophone
    API_AVAILABLE(macos(14.0), ios(17.0), visionos(2.1));
FOUNDATION_EXPORT AVCaptureDeviceType const AVCaptureDeviceTypeBuiltInWideAngleCamera
    API_AVAILABLE(macos(10.15), ios(10.0)) API_UNAVAILABLE(visionos);
FOUNDATION_EXPORT AVCaptureDeviceType const AVCaptureDeviceTypeBuiltInTelephotoCamera
    API_AVAILABLE(ios(10.0)) API_UNAVAILABLE(macos, visionos);
FOUNDATION_EXPORT AVCaptureDeviceType const AVCaptureDeviceTypeBuiltInUltraWideCamera
    API_AVAILABLE(ios(13.0)) API_UNAVAILABLE(macos, visionos);
FOUNDATION_EXPORT AVCaptureDeviceType const AVCaptureDeviceTypeContinuityCamera
    API_AVAILABLE(macos(14.0), ios(17.0)) API_UNAVAILABLE(visionos);
FOUNDATION_EXPORT AVCaptureDeviceType const AVCaptureDeviceTypeDeskViewCamera
    API_AVAILABLE(macos(13.0)) API_UNAVAILABLE(ios, visionos);

typedef NS_ENUM(NSInteger, AVCaptureDevicePosition) {
    AVCaptureDevicePositionUnspecified = 0,
    AVCaptureDevicePositionBack = 1,
    AVCaptureDevicePositionFront = 2,
} NS_SWIFT_NAME(AVCaptureDevice.Position) API_AVAILABLE(macos(10.7), ios(4.0), visionos(1.0));

typedef NS_ENUM(NSInteger, AVCaptureFocusMode) {
    AVCaptureFocusModeLocked = 0,
    AVCaptureFocusModeAutoFocus = 1,
    AVCaptureFocusModeContinuousAutoFocus = 2,
} NS_SWIFT_NAME(AVCaptureDevice.FocusMode) API_AVAILABLE(macos(10.7), ios(4.0)) API_UNAVAILABLE(visionos);

typedef NS_ENUM(NSInteger, AVCaptureFlashMode) {
    AVCaptureFlashModeOff = 0,
    AVCaptureFlashModeOn = 1,
    AVCaptureFlashModeAuto = 2,
} NS_SWIFT_NAME(AVCaptureDevice.FlashMode) API_AVAILABLE(macos(10.7), ios(4.0)) API_UNAVAILABLE(visionos);

typedef NS_ENUM(NSInteger, AVCaptureTorchMode) {
    AVCaptureTorchModeOff = 0,
    AVCaptureTorchModeOn = 1,
    AVCaptureTorchModeAuto = 2,
} NS_SWIFT_NAME(AVCaptureDevice.TorchMode) API_AVAILABLE(macos(10.7), ios(4.0)) API_UNAVAILABLE(visionos);

typedef NS_ENUM(NSInteger, AVCaptureExposureMode) {
    AVCaptureExposureModeLocked = 0,
    AVCaptureExposureModeAutoExpose = 1,
    AVCaptureExposureModeContinuousAutoExposure = 2,
    AVCaptureExposureModeCustom API_AVAILABLE(macos(10.15), ios(8.0)) API_UNAVAILABLE(visionos) = 3,
} NS_SWIFT_NAME(AVCaptureDevice.ExposureMode) API_AVAILABLE(macos(10.7), ios(4.0)) API_UNAVAILABLE(visionos);

typedef NSString *AVCaptureSessionPreset NS_TYPED_ENUM NS_SWIFT_NAME(AVCaptureSession.Preset)
    API_AVAILABLE(macos(10.7), ios(4.0)) API_UNAVAILABLE(visionos);
FOUNDATION_EXPORT AVCaptureSessionPreset const AVCaptureSessionPresetHigh
    API_AVAILABLE(macos(10.7), ios(4.0)) API_UNAVAILABLE(visionos);
FOUNDATION_EXPORT AVCaptureSessionPreset const AVCaptureSessionPreset640x480 NS_SWIFT_NAME(vga640x480)
    API_AVAILABLE(macos(10.7), ios(4.0)) API_UNAVAILABLE(visionos);
FOUNDATION_EXPORT AVCaptureSessionPreset const AVCaptureSessionPreset1280x720 NS_SWIFT_NAME(hd1280x720)
    API_AVAILABLE(macos(10.7), ios(4.0)) API_UNAVAILABLE(visionos);
FOUNDATION_EXPORT AVCaptureSessionPreset const AVCaptureSessionPreset1920x1080 NS_SWIFT_NAME(hd1920x1080)
    API_AVAILABLE(macos(10.15), ios(5.0)) API_UNAVAILABLE(visionos);
FOUNDATION_EXPORT AVCaptureSessionPreset const AVCaptureSessionPreset3840x2160 NS_SWIFT_NAME(hd4K3840x2160)
    API_AVAILABLE(macos(10.15), ios(9.0)) API_UNAVAILABLE(visionos);
FOUNDATION_EXPORT AVCaptureSessionPreset const AVCaptureSessionPresetInputPriority
    API_AVAILABLE(ios(7.0)) API_UNAVAILABLE(macos, visionos);

// MARK: Formats

API_AVAILABLE(macos(10.7), ios(7.0), visionos(1.0))
@interface AVFrameRateRange : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@property (readonly) Float64 minFrameRate;
@property (readonly) Float64 maxFrameRate;
@property (readonly) CMTime maxFrameDuration;
@property (readonly) CMTime minFrameDuration;
@end

NS_SWIFT_NAME(AVCaptureDevice.Format) API_AVAILABLE(macos(10.7), ios(7.0), visionos(1.0))
@interface AVCaptureDeviceFormat : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@property (nonatomic, readonly) CMFormatDescriptionRef formatDescription;
@property (nonatomic, readonly) NSArray<AVFrameRateRange *> *videoSupportedFrameRateRanges;
@property (nonatomic, readonly) NSArray<NSValue *> *supportedMaxPhotoDimensions NS_REFINED_FOR_SWIFT
    API_AVAILABLE(macos(13.0), ios(16.0)) API_UNAVAILABLE(visionos);
@end

@interface AVCaptureDeviceFormat (AVCaptureDeviceFormatMultiCamAdditions)
@property (nonatomic, readonly, getter=isMultiCamSupported) BOOL multiCamSupported
    API_AVAILABLE(ios(13.0)) API_UNAVAILABLE(macos, visionos);
@end

@interface AVCaptureDeviceFormat (AVCaptureDeviceFormatEffects)
@property (nonatomic, readonly, getter=isCenterStageSupported) BOOL centerStageSupported
    API_AVAILABLE(macos(12.3), ios(14.5)) API_UNAVAILABLE(visionos);
@property (nonatomic, readonly, nullable) AVFrameRateRange *videoFrameRateRangeForCenterStage
    API_AVAILABLE(macos(12.3), ios(14.5)) API_UNAVAILABLE(visionos);
@property (nonatomic, readonly, getter=isPortraitEffectSupported) BOOL portraitEffectSupported
    API_AVAILABLE(macos(12.0), ios(15.0)) API_UNAVAILABLE(visionos);
@property (nonatomic, readonly, getter=isStudioLightSupported) BOOL studioLightSupported
    API_AVAILABLE(macos(13.0), ios(16.0)) API_UNAVAILABLE(visionos);
@property (nonatomic, readonly) BOOL reactionEffectsSupported
    API_AVAILABLE(macos(14.0), ios(17.0)) API_UNAVAILABLE(visionos);
@property (nonatomic, readonly, getter=isBackgroundReplacementSupported) BOOL backgroundReplacementSupported
    API_AVAILABLE(macos(15.0), ios(18.0)) API_UNAVAILABLE(visionos);
@end

// MARK: Devices

API_AVAILABLE(macos(10.7), ios(4.0), visionos(1.0))
@interface AVCaptureDevice : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
+ (nullable AVCaptureDevice *)defaultDeviceWithMediaType:(AVMediaType)mediaType NS_SWIFT_NAME(default(for:));
+ (nullable AVCaptureDevice *)deviceWithUniqueID:(NSString *)deviceUniqueID;
@property (nonatomic, readonly) NSString *uniqueID;
@property (nonatomic, readonly) NSString *modelID;
@property (nonatomic, readonly) NSString *localizedName;
- (BOOL)hasMediaType:(AVMediaType)mediaType;
- (BOOL)lockForConfiguration:(NSError *_Nullable *_Nullable)outError;
- (void)unlockForConfiguration;
- (BOOL)supportsAVCaptureSessionPreset:(AVCaptureSessionPreset)preset
    NS_SWIFT_NAME(supportsSessionPreset(_:)) API_UNAVAILABLE(visionos);
@property (nonatomic, readonly, getter=isConnected) BOOL connected;
@property (nonatomic, readonly, getter=isInUseByAnotherApplication) BOOL inUseByAnotherApplication
    API_AVAILABLE(macos(10.7)) API_UNAVAILABLE(ios, visionos);
@property (nonatomic, readonly, getter=isSuspended) BOOL suspended
    API_AVAILABLE(macos(10.7), ios(14.0)) API_UNAVAILABLE(visionos);
@property (nonatomic, readonly) NSArray<AVCaptureDevice *> *linkedDevices
    API_AVAILABLE(macos(10.7)) API_UNAVAILABLE(ios, visionos);
@property (nonatomic, readonly) NSArray<AVCaptureDeviceFormat *> *formats API_AVAILABLE(macos(10.7), ios(7.0), visionos(1.0));
@property (nonatomic, retain) AVCaptureDeviceFormat *activeFormat API_AVAILABLE(macos(10.7), ios(7.0), visionos(1.0));
@property (nonatomic, getter=isAutoVideoFrameRateEnabled) BOOL autoVideoFrameRateEnabled
    API_AVAILABLE(macos(15.0), ios(18.0)) API_UNAVAILABLE(visionos);
@property (nonatomic) CMTime activeVideoMinFrameDuration API_AVAILABLE(macos(10.7), ios(7.0), visionos(1.0));
@property (nonatomic) CMTime activeVideoMaxFrameDuration API_AVAILABLE(macos(10.9), ios(7.0), visionos(1.0));
@end

@interface AVCaptureDevice (AVCaptureDevicePosition)
@property (nonatomic, readonly) AVCaptureDevicePosition position;
@end

@interface AVCaptureDevice (AVCaptureDeviceType)
@property (nonatomic, readonly) AVCaptureDeviceType deviceType API_AVAILABLE(macos(10.15), ios(10.0), visionos(1.0));
+ (nullable AVCaptureDevice *)defaultDeviceWithDeviceType:(AVCaptureDeviceType)deviceType
                                                mediaType:(nullable AVMediaType)mediaType
                                                 position:(AVCaptureDevicePosition)position
    NS_SWIFT_NAME(default(_:for:position:)) API_AVAILABLE(macos(10.15), ios(10.0), visionos(1.0));
@end

@interface AVCaptureDevice (AVCaptureDevicePreferredCamera)
@property (class, nonatomic, nullable) AVCaptureDevice *userPreferredCamera
    API_AVAILABLE(macos(13.0), ios(17.0)) API_UNAVAILABLE(visionos);
@property (class, nonatomic, nullable, readonly) AVCaptureDevice *systemPreferredCamera
    API_AVAILABLE(macos(13.0), ios(17.0)) API_UNAVAILABLE(visionos);
@end

typedef NS_ENUM(NSInteger, AVCaptureCenterStageControlMode) {
    AVCaptureCenterStageControlModeUser = 0,
    AVCaptureCenterStageControlModeApp = 1,
    AVCaptureCenterStageControlModeCooperative = 2,
} NS_SWIFT_NAME(AVCaptureDevice.CenterStageControlMode) API_AVAILABLE(macos(12.3), ios(14.5)) API_UNAVAILABLE(visionos);

typedef NS_ENUM(NSInteger, AVCaptureSystemUserInterface) {
    AVCaptureSystemUserInterfaceVideoEffects = 1,
    AVCaptureSystemUserInterfaceMicrophoneModes = 2,
} NS_SWIFT_NAME(AVCaptureDevice.SystemUserInterface) API_AVAILABLE(macos(12.0), ios(15.0)) API_UNAVAILABLE(visionos);

API_AVAILABLE(macos(14.0), ios(17.0)) API_UNAVAILABLE(visionos)
@interface AVCaptureReactionEffectState : NSObject
@end

@interface AVCaptureDevice (AVCaptureDeviceEffects)
@property (class, nonatomic) AVCaptureCenterStageControlMode centerStageControlMode
    API_AVAILABLE(macos(12.3), ios(14.5)) API_UNAVAILABLE(visionos);
@property (class, nonatomic, getter=isCenterStageEnabled) BOOL centerStageEnabled
    API_AVAILABLE(macos(12.3), ios(14.5)) API_UNAVAILABLE(visionos);
@property (nonatomic, readonly, getter=isCenterStageActive) BOOL centerStageActive
    API_AVAILABLE(macos(12.3), ios(14.5)) API_UNAVAILABLE(visionos);
@property (class, nonatomic, readonly, getter=isPortraitEffectEnabled) BOOL portraitEffectEnabled
    API_AVAILABLE(macos(12.0), ios(15.0)) API_UNAVAILABLE(visionos);
@property (nonatomic, readonly, getter=isPortraitEffectActive) BOOL portraitEffectActive
    API_AVAILABLE(macos(12.0), ios(15.0)) API_UNAVAILABLE(visionos);
@property (class, nonatomic, readonly, getter=isStudioLightEnabled) BOOL studioLightEnabled
    API_AVAILABLE(macos(13.0), ios(16.0)) API_UNAVAILABLE(visionos);
@property (nonatomic, readonly, getter=isStudioLightActive) BOOL studioLightActive
    API_AVAILABLE(macos(13.0), ios(16.0)) API_UNAVAILABLE(visionos);
@property (class, nonatomic, readonly) BOOL reactionEffectsEnabled
    API_AVAILABLE(macos(14.0), ios(17.0)) API_UNAVAILABLE(visionos);
@property (nonatomic, readonly) NSArray<AVCaptureReactionEffectState *> *reactionEffectsInProgress
    API_AVAILABLE(macos(14.0), ios(17.0)) API_UNAVAILABLE(visionos);
@property (class, nonatomic, readonly, getter=isBackgroundReplacementEnabled) BOOL backgroundReplacementEnabled
    API_AVAILABLE(macos(15.0), ios(18.0)) API_UNAVAILABLE(visionos);
@property (nonatomic, readonly, getter=isBackgroundReplacementActive) BOOL backgroundReplacementActive
    API_AVAILABLE(macos(15.0), ios(18.0)) API_UNAVAILABLE(visionos);
+ (void)showSystemUserInterface:(AVCaptureSystemUserInterface)systemUserInterface
    NS_SWIFT_NAME(showSystemUserInterface(_:)) API_AVAILABLE(macos(12.0), ios(15.0)) API_UNAVAILABLE(visionos);
@end

@interface AVCaptureDevice (AVCaptureDeviceTorch)
- (BOOL)isTorchModeSupported:(AVCaptureTorchMode)torchMode API_UNAVAILABLE(visionos);
@property (nonatomic) AVCaptureTorchMode torchMode API_UNAVAILABLE(visionos);
@end

@interface AVCaptureDevice (AVCaptureDeviceFocus)
- (BOOL)isFocusModeSupported:(AVCaptureFocusMode)focusMode API_UNAVAILABLE(visionos);
@property (nonatomic, readonly, getter=isLockingFocusWithCustomLensPositionSupported)
    BOOL lockingFocusWithCustomLensPositionSupported API_AVAILABLE(ios(10.0)) API_UNAVAILABLE(macos, visionos);
@property (nonatomic) AVCaptureFocusMode focusMode API_UNAVAILABLE(visionos);
- (void)setFocusModeLockedWithLensPosition:(float)lensPosition
                         completionHandler:(nullable void (NS_SWIFT_SENDABLE ^)(CMTime syncTime))handler
    NS_SWIFT_NAME(setFocusModeLocked(lensPosition:completionHandler:)) API_AVAILABLE(ios(8.0)) API_UNAVAILABLE(macos, visionos);
@end

@interface AVCaptureDevice (AVCaptureDeviceExposure)
- (BOOL)isExposureModeSupported:(AVCaptureExposureMode)exposureMode API_UNAVAILABLE(visionos);
@property (nonatomic) AVCaptureExposureMode exposureMode API_UNAVAILABLE(visionos);
@property (nonatomic, readonly) float minExposureTargetBias API_AVAILABLE(ios(8.0)) API_UNAVAILABLE(macos, visionos);
@property (nonatomic, readonly) float maxExposureTargetBias API_AVAILABLE(ios(8.0)) API_UNAVAILABLE(macos, visionos);
- (void)setExposureTargetBias:(float)bias
            completionHandler:(nullable void (NS_SWIFT_SENDABLE ^)(CMTime syncTime))handler
    API_AVAILABLE(ios(8.0)) API_UNAVAILABLE(macos, visionos);
@end

@interface AVCaptureDevice (AVCaptureDeviceZoom)
@property (nonatomic) CGFloat videoZoomFactor API_AVAILABLE(ios(7.0)) API_UNAVAILABLE(macos, visionos);
@property (nonatomic, readonly) CGFloat minAvailableVideoZoomFactor API_AVAILABLE(ios(11.0)) API_UNAVAILABLE(macos, visionos);
@property (nonatomic, readonly) CGFloat maxAvailableVideoZoomFactor API_AVAILABLE(ios(11.0)) API_UNAVAILABLE(macos, visionos);
@end

@interface AVCaptureDevice (AVCaptureDeviceAuthorization)
+ (AVAuthorizationStatus)authorizationStatusForMediaType:(AVMediaType)mediaType NS_SWIFT_NAME(authorizationStatus(for:))
    API_AVAILABLE(macos(10.14), ios(7.0), visionos(1.0));
+ (void)requestAccessForMediaType:(AVMediaType)mediaType
                completionHandler:(void (NS_SWIFT_SENDABLE ^)(BOOL granted))handler
    NS_SWIFT_NAME(requestAccess(for:completionHandler:)) API_AVAILABLE(macos(10.14), ios(7.0), visionos(1.0));
@end

// MARK: What finds them, and turns their pictures

NS_SWIFT_NAME(AVCaptureDevice.DiscoverySession) API_AVAILABLE(macos(10.15), ios(10.0), visionos(2.1))
@interface AVCaptureDeviceDiscoverySession : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
+ (instancetype)discoverySessionWithDeviceTypes:(NSArray<AVCaptureDeviceType> *)deviceTypes
                                      mediaType:(nullable AVMediaType)mediaType
                                       position:(AVCaptureDevicePosition)position;
@property (nonatomic, readonly) NSArray<AVCaptureDevice *> *devices;
@end

NS_SWIFT_NAME(AVCaptureDevice.RotationCoordinator) API_AVAILABLE(macos(14.0), ios(17.0)) API_UNAVAILABLE(visionos)
@interface AVCaptureDeviceRotationCoordinator : NSObject
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)initWithDevice:(AVCaptureDevice *)device previewLayer:(nullable CALayer *)previewLayer;
@property (nonatomic, weak, readonly, nullable) AVCaptureDevice *device;
@property (nonatomic, weak, readonly, nullable) CALayer *previewLayer;
@property (nonatomic, readonly) CGFloat videoRotationAngleForHorizonLevelPreview;
@property (nonatomic, readonly) CGFloat videoRotationAngleForHorizonLevelCapture;
@end

NS_ASSUME_NONNULL_END
