// The process itself, others, threads and queues.
#import <Foundation/NSError.h>

NS_HEADER_AUDIT_BEGIN(nullability, sendability)

typedef struct {
    NSInteger majorVersion;
    NSInteger minorVersion;
    NSInteger patchVersion;
} NSOperatingSystemVersion NS_SWIFT_NAME(OperatingSystemVersion);

NS_SWIFT_SENDABLE NS_SWIFT_NAME(ProcessInfo)
@interface NSProcessInfo : NSObject
@property (class, readonly, strong) NSProcessInfo *processInfo;
@property (readonly, copy) NSDictionary<NSString *, NSString *> *environment;
@property (readonly, copy) NSArray<NSString *> *arguments;
@property (copy) NSString *processName;
@property (readonly) int processIdentifier;
@property (readonly) NSOperatingSystemVersion operatingSystemVersion;
@property (readonly) NSUInteger processorCount;
@property (readonly) NSUInteger activeProcessorCount;
@property (readonly) NSTimeInterval systemUptime;
@end

NS_SWIFT_NAME(Thread)
@interface NSThread : NSObject
@property (class, readonly, strong) NSThread *currentThread;
@property (class, readonly) BOOL isMainThread;
@property (class, readonly, strong) NSThread *mainThread;
+ (void)detachNewThreadWithBlock:(void(NS_SWIFT_SENDABLE ^)(void))block;
+ (void)sleepForTimeInterval:(NSTimeInterval)ti;
- (instancetype)init NS_DESIGNATED_INITIALIZER;
- (void)start;
@end

NS_SWIFT_SENDABLE NS_SWIFT_NAME(OperationQueue)
@interface NSOperationQueue : NSObject
@property (class, readonly, strong, nullable) NSOperationQueue *currentQueue;
@property (class, readonly, strong) NSOperationQueue *mainQueue;
- (void)addOperationWithBlock:(void(NS_SWIFT_SENDABLE ^)(void))block;
@property NSInteger maxConcurrentOperationCount;
@end

NS_SWIFT_SENDABLE NS_SWIFT_NAME(Progress)
@interface NSProgress : NSObject
@property (readonly) double fractionCompleted;
@property int64_t totalUnitCount;
@property int64_t completedUnitCount;
- (void)cancel;
@end

#if TARGET_OS_OSX
@class NSTask;

typedef NS_ENUM(NSInteger, NSTaskTerminationReason) {
    NSTaskTerminationReasonExit = 1,
    NSTaskTerminationReasonUncaughtSignal = 2
} NS_SWIFT_NAME(Process.TerminationReason);

NS_SWIFT_SENDABLE NS_SWIFT_NAME(Process)
@interface NSTask : NSObject
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@property (nullable, copy) NSURL *executableURL;
@property (nullable, copy) NSArray<NSString *> *arguments;
@property (nullable, copy) NSDictionary<NSString *, NSString *> *environment;
@property (nullable, copy) NSURL *currentDirectoryURL;
@property (nullable, retain) id standardInput;
@property (nullable, retain) id standardOutput;
@property (nullable, retain) id standardError;
- (BOOL)launchAndReturnError:(out NSError **_Nullable)error NS_SWIFT_NAME(run());
- (void)interrupt;
- (void)terminate;
- (BOOL)suspend;
- (BOOL)resume;
@property (readonly) int processIdentifier;
@property (readonly, getter=isRunning) BOOL running;
@property (readonly) int terminationStatus;
@property (readonly) NSTaskTerminationReason terminationReason;
@property (nullable, copy) void (NS_SWIFT_SENDABLE ^terminationHandler)(NSTask *);
@end

@interface NSTask (NSTaskConveniences)
- (void)waitUntilExit;
@end
#endif

NS_HEADER_AUDIT_END(nullability, sendability)
