// CoreImage, as far as this package's documentation uses it.
#import <CoreGraphics/CoreGraphics.h>
#import <CoreVideo/CoreVideo.h>
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

NS_SWIFT_SENDABLE
@interface CIContext : NSObject
- (instancetype)init;
@end

NS_ASSUME_NONNULL_END
