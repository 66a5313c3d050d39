#import <Foundation/NSProcess.h>
#import <Foundation/NSURLAuthentication.h>

@class NSURLCache, NSURLSession, NSURLSessionTask, NSURLSessionDataTask;
@protocol NSURLSessionDelegate;

NS_SWIFT_SENDABLE NS_SWIFT_NAME(URLCache)
@interface NSURLCache : NSObject
@end

NS_HEADER_AUDIT_BEGIN(nullability, sendability)

typedef NS_ENUM(NSInteger, NSURLSessionAuthChallengeDisposition) {
    NSURLSessionAuthChallengeUseCredential = 0,
    NSURLSessionAuthChallengePerformDefaultHandling = 1,
    NSURLSessionAuthChallengeCancelAuthenticationChallenge = 2,
    NSURLSessionAuthChallengeRejectProtectionSpace = 3,
} NS_SWIFT_NAME(URLSession.AuthChallengeDisposition);

NS_SWIFT_SENDABLE NS_SWIFT_NAME(URLSessionConfiguration)
@interface NSURLSessionConfiguration : NSObject <NSCopying>
@property (class, readonly, strong) NSURLSessionConfiguration *defaultSessionConfiguration NS_SWIFT_NAME(default);
@property (class, readonly, strong) NSURLSessionConfiguration *ephemeralSessionConfiguration NS_SWIFT_NAME(ephemeral);
@property NSURLRequestCachePolicy requestCachePolicy;
@property NSTimeInterval timeoutIntervalForRequest;
@property NSTimeInterval timeoutIntervalForResource;
@property BOOL waitsForConnectivity;
@property (nullable, copy) NSDictionary *HTTPAdditionalHeaders;
@property BOOL HTTPShouldSetCookies;
@property (nullable, retain) NSURLCache *URLCache;
- (instancetype)init API_DEPRECATED("Please use defaultSessionConfiguration or others", macos(10.9, 10.15), ios(7.0, 13.0));
@end

NS_SWIFT_SENDABLE NS_SWIFT_NAME(URLSession)
@interface NSURLSession : NSObject
@property (class, readonly, strong) NSURLSession *sharedSession NS_SWIFT_NAME(shared);
+ (NSURLSession *)sessionWithConfiguration:(NSURLSessionConfiguration *)configuration;
+ (NSURLSession *)sessionWithConfiguration:(NSURLSessionConfiguration *)configuration
                                  delegate:(nullable id<NSURLSessionDelegate>)delegate
                             delegateQueue:(nullable NSOperationQueue *)queue;
@property (readonly, retain) NSOperationQueue *delegateQueue;
@property (nullable, readonly, retain) id<NSURLSessionDelegate> delegate;
@property (readonly, copy) NSURLSessionConfiguration *configuration;
- (void)finishTasksAndInvalidate;
- (void)invalidateAndCancel;
- (NSURLSessionDataTask *)dataTaskWithRequest:(NSURLRequest *)request;
- (NSURLSessionDataTask *)dataTaskWithURL:(NSURL *)url;
- (instancetype)init API_DEPRECATED("Please use +[NSURLSession sessionWithConfiguration:] or other class methods", macos(10.9, 10.15), ios(7.0, 13.0));
@end

@interface NSURLSession (NSURLSessionAsynchronousConvenience)
- (NSURLSessionDataTask *)dataTaskWithRequest:(NSURLRequest *)request
                            completionHandler:(void(NS_SWIFT_SENDABLE ^)(NSData *_Nullable data, NSURLResponse *_Nullable response,
                                                                         NSError *_Nullable error))completionHandler
    NS_SWIFT_DISABLE_ASYNC;
@end

NS_SWIFT_SENDABLE NS_SWIFT_NAME(URLSessionTask)
@interface NSURLSessionTask : NSObject <NSCopying>
@property (readonly) NSUInteger taskIdentifier;
@property (nullable, readonly, copy) NSURLRequest *originalRequest;
@property (nullable, readonly, copy) NSURLRequest *currentRequest;
@property (nullable, readonly, copy) NSURLResponse *response;
- (void)cancel;
- (void)suspend;
- (void)resume;
@end

NS_SWIFT_SENDABLE NS_SWIFT_NAME(URLSessionDataTask)
@interface NSURLSessionDataTask : NSURLSessionTask
@end

NS_SWIFT_SENDABLE NS_SWIFT_NAME(URLSessionDelegate)
@protocol NSURLSessionDelegate <NSObject>
@optional
- (void)URLSession:(NSURLSession *)session didBecomeInvalidWithError:(nullable NSError *)error;
- (void)URLSession:(NSURLSession *)session
    didReceiveChallenge:(NSURLAuthenticationChallenge *)challenge
      completionHandler:(void(NS_SWIFT_SENDABLE ^)(NSURLSessionAuthChallengeDisposition disposition,
                                                   NSURLCredential *_Nullable credential))completionHandler;
@end

NS_SWIFT_SENDABLE NS_SWIFT_NAME(URLSessionTaskDelegate)
@protocol NSURLSessionTaskDelegate <NSURLSessionDelegate>
@optional
- (void)URLSession:(NSURLSession *)session
                          task:(NSURLSessionTask *)task
    willPerformHTTPRedirection:(NSHTTPURLResponse *)response
                    newRequest:(NSURLRequest *)request
             completionHandler:(void(NS_SWIFT_SENDABLE ^)(NSURLRequest *_Nullable))completionHandler;
- (void)URLSession:(NSURLSession *)session
                   task:(NSURLSessionTask *)task
    didReceiveChallenge:(NSURLAuthenticationChallenge *)challenge
      completionHandler:(void(NS_SWIFT_SENDABLE ^)(NSURLSessionAuthChallengeDisposition disposition,
                                                   NSURLCredential *_Nullable credential))completionHandler;
- (void)URLSession:(NSURLSession *)session task:(NSURLSessionTask *)task didCompleteWithError:(nullable NSError *)error;
@end

NS_HEADER_AUDIT_END(nullability, sendability)
