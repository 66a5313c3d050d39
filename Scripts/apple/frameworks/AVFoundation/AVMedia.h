#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

typedef NSString *AVMediaType NS_TYPED_EXTENSIBLE_ENUM;
FOUNDATION_EXPORT AVMediaType const AVMediaTypeVideo;
FOUNDATION_EXPORT AVMediaType const AVMediaTypeAudio;

typedef NSString *AVFileType NS_TYPED_EXTENSIBLE_ENUM;
FOUNDATION_EXPORT AVFileType const AVFileTypeQuickTimeMovie NS_SWIFT_NAME(mov);
FOUNDATION_EXPORT AVFileType const AVFileTypeMPEG4 NS_SWIFT_NAME(mp4);
FOUNDATION_EXPORT AVFileType const AVFileTypeAppleM4V NS_SWIFT_NAME(m4v);
FOUNDATION_EXPORT AVFileType const AVFileTypeAppleM4A NS_SWIFT_NAME(m4a);

typedef NSString *AVVideoCodecType NS_TYPED_ENUM;
FOUNDATION_EXPORT AVVideoCodecType const AVVideoCodecTypeH264 NS_SWIFT_NAME(h264);
FOUNDATION_EXPORT AVVideoCodecType const AVVideoCodecTypeHEVC NS_SWIFT_NAME(hevc);
FOUNDATION_EXPORT AVVideoCodecType const AVVideoCodecTypeJPEG NS_SWIFT_NAME(jpeg);

typedef NSString *AVLayerVideoGravity NS_TYPED_ENUM;
FOUNDATION_EXPORT AVLayerVideoGravity const AVLayerVideoGravityResizeAspect;
FOUNDATION_EXPORT AVLayerVideoGravity const AVLayerVideoGravityResizeAspectFill;

FOUNDATION_EXPORT NSString *const AVVideoCodecKey;
FOUNDATION_EXPORT NSString *const AVVideoWidthKey;
FOUNDATION_EXPORT NSString *const AVVideoHeightKey;
FOUNDATION_EXPORT NSString *const AVVideoCompressionPropertiesKey;
FOUNDATION_EXPORT NSString *const AVVideoAverageBitRateKey;
FOUNDATION_EXPORT NSString *const AVVideoMaxKeyFrameIntervalDurationKey;
FOUNDATION_EXPORT NSString *const AVVideoAllowFrameReorderingKey;
FOUNDATION_EXPORT NSString *const AVVideoProfileLevelKey;
FOUNDATION_EXPORT NSString *const AVVideoProfileLevelH264HighAutoLevel;

NS_ASSUME_NONNULL_END
