#import <Foundation/NSError.h>

@class NSURLRequest;

NS_HEADER_AUDIT_BEGIN(nullability, sendability)

typedef NS_ENUM(NSUInteger, NSURLRequestCachePolicy) {
    NSURLRequestUseProtocolCachePolicy = 0,
    NSURLRequestReloadIgnoringLocalCacheData = 1,
    NSURLRequestReloadIgnoringLocalAndRemoteCacheData = 4,
    NSURLRequestReturnCacheDataElseLoad = 2,
    NSURLRequestReturnCacheDataDontLoad = 3,
    NSURLRequestReloadRevalidatingCacheData = 5,
} NS_SWIFT_NAME(NSURLRequest.CachePolicy);

NS_SWIFT_BRIDGED("Foundation.URLRequest")
@interface NSURLRequest : NSObject <NSSecureCoding, NSCopying, NSMutableCopying>
@property (nullable, readonly, copy) NSURL *URL;
@end

@interface NSMutableURLRequest : NSURLRequest
@end

NS_SWIFT_SENDABLE NS_SWIFT_NAME(URLResponse)
@interface NSURLResponse : NSObject <NSSecureCoding, NSCopying>
- (instancetype)initWithURL:(NSURL *)URL
                   MIMEType:(nullable NSString *)MIMEType
      expectedContentLength:(NSInteger)length
           textEncodingName:(nullable NSString *)name NS_DESIGNATED_INITIALIZER;
@property (nullable, readonly, copy) NSURL *URL;
@property (nullable, readonly, copy) NSString *MIMEType;
@property (readonly) long long expectedContentLength;
@property (nullable, readonly, copy) NSString *suggestedFilename;
@end

NS_SWIFT_SENDABLE NS_SWIFT_NAME(HTTPURLResponse)
@interface NSHTTPURLResponse : NSURLResponse
- (nullable instancetype)initWithURL:(NSURL *)url
                          statusCode:(NSInteger)statusCode
                         HTTPVersion:(nullable NSString *)HTTPVersion
                        headerFields:(nullable NSDictionary<NSString *, NSString *> *)headerFields;
@property (readonly) NSInteger statusCode;
@property (readonly, copy) NSDictionary *allHeaderFields;
- (nullable NSString *)valueForHTTPHeaderField:(NSString *)field;
@end

NS_SWIFT_SENDABLE NS_SWIFT_NAME(HTTPCookie)
@interface NSHTTPCookie : NSObject
@property (readonly, copy) NSString *name;
@property (readonly, copy) NSString *value;
@property (readonly, copy) NSString *domain;
@property (readonly, copy) NSString *path;
@end

NS_HEADER_AUDIT_END(nullability, sendability)
