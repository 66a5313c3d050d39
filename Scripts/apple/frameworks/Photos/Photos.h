// Photos, as far as this package uses it.
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(NSInteger, PHAuthorizationStatus) {
    PHAuthorizationStatusNotDetermined = 0,
    PHAuthorizationStatusRestricted = 1,
    PHAuthorizationStatusDenied = 2,
    PHAuthorizationStatusAuthorized = 3,
    PHAuthorizationStatusLimited API_AVAILABLE(macos(11.0), ios(14.0), visionos(1.0)) = 4,
} API_AVAILABLE(macos(10.13), ios(8.0), visionos(1.0));

typedef NS_ENUM(NSInteger, PHAccessLevel) {
    PHAccessLevelAddOnly = 1,
    PHAccessLevelReadWrite = 2,
} API_AVAILABLE(macos(11.0), ios(14.0), visionos(1.0));

NS_SWIFT_SENDABLE API_AVAILABLE(macos(10.13), ios(8.0), visionos(1.0))
@interface PHPhotoLibrary : NSObject
+ (PHAuthorizationStatus)authorizationStatusForAccessLevel:(PHAccessLevel)accessLevel
    API_AVAILABLE(macos(11.0), ios(14.0), visionos(1.0));
+ (void)requestAuthorizationForAccessLevel:(PHAccessLevel)accessLevel
                                   handler:(void (NS_SWIFT_SENDABLE ^)(PHAuthorizationStatus status))handler
    API_AVAILABLE(macos(11.0), ios(14.0), visionos(1.0)) NS_SWIFT_ASYNC(2);
@end

NS_ASSUME_NONNULL_END
