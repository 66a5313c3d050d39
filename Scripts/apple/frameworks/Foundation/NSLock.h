// Locks.
#import <Foundation/NSError.h>

NS_HEADER_AUDIT_BEGIN(nullability, sendability)

@protocol NSLocking
- (void)lock NS_SWIFT_UNAVAILABLE_FROM_ASYNC("Use async-safe scoped locking instead");
- (void)unlock NS_SWIFT_UNAVAILABLE_FROM_ASYNC("Use async-safe scoped locking instead");
@end

NS_SWIFT_SENDABLE
@interface NSLock : NSObject <NSLocking>
- (BOOL)tryLock NS_SWIFT_UNAVAILABLE_FROM_ASYNC("Use async-safe scoped locking instead");
@property (nullable, copy) NSString *name;
@end

NS_SWIFT_SENDABLE
@interface NSRecursiveLock : NSObject <NSLocking>
- (BOOL)tryLock NS_SWIFT_UNAVAILABLE_FROM_ASYNC("Use async-safe scoped locking instead");
@property (nullable, copy) NSString *name;
@end

NS_HEADER_AUDIT_END(nullability, sendability)
