// ARKit, as far as the example uses it.
#import <CoreVideo/CoreVideo.h>
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

@class ARSession;

API_AVAILABLE(ios(11.0))
@interface ARConfiguration : NSObject <NSCopying>
@property (class, nonatomic, readonly) BOOL isSupported;
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@end

API_AVAILABLE(ios(11.0))
@interface ARWorldTrackingConfiguration : ARConfiguration
- (instancetype)init;
+ (instancetype)new;
@end

NS_SWIFT_SENDABLE API_AVAILABLE(ios(11.0))
@interface ARFrame : NSObject <NSCopying>
@property (nonatomic, readonly) NSTimeInterval timestamp;
@property (nonatomic, readonly) CVPixelBufferRef capturedImage;
- (instancetype)init NS_UNAVAILABLE;
+ (instancetype)new NS_UNAVAILABLE;
@end

API_AVAILABLE(ios(11.0))
@protocol ARSessionObserver <NSObject>
@optional
- (void)session:(ARSession *)session didFailWithError:(NSError *)error;
@end

API_AVAILABLE(ios(11.0))
@protocol ARSessionDelegate <ARSessionObserver>
@optional
- (void)session:(ARSession *)session didUpdateFrame:(ARFrame *)frame NS_SWIFT_NAME(session(_:didUpdate:));
@end

typedef NS_OPTIONS(NSUInteger, ARSessionRunOptions) {
    ARSessionRunOptionResetTracking = 1 << 0,
    ARSessionRunOptionRemoveExistingAnchors = 1 << 1,
} NS_SWIFT_NAME(ARSession.RunOptions) API_AVAILABLE(ios(11.0));

API_AVAILABLE(ios(11.0))
@interface ARSession : NSObject
- (instancetype)init;
+ (instancetype)new;
@property (nonatomic, weak, nullable) id<ARSessionDelegate> delegate;
@property (nonatomic, strong, nullable) dispatch_queue_t delegateQueue;
- (void)runWithConfiguration:(ARConfiguration *)configuration
                     options:(ARSessionRunOptions)options NS_SWIFT_NAME(run(_:options:));
- (void)pause;
@end

NS_ASSUME_NONNULL_END
