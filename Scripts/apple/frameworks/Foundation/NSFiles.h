// Files, what a program comes with, and what it keeps.
#import <Foundation/NSError.h>

@class NSFileManager, NSJSONSerialization;

NS_HEADER_AUDIT_BEGIN(nullability, sendability)

FOUNDATION_EXPORT NSString *NSHomeDirectory(void);
FOUNDATION_EXPORT NSString *NSTemporaryDirectory(void);
FOUNDATION_EXPORT NSString *NSUserName(void);

typedef NS_ENUM(NSUInteger, NSSearchPathDirectory) {
    NSApplicationDirectory = 1,
    NSLibraryDirectory = 5,
    NSDocumentDirectory = 9,
    NSDesktopDirectory = 12,
    NSCachesDirectory = 13,
    NSApplicationSupportDirectory = 14,
    NSDownloadsDirectory = 15,
} NS_SWIFT_NAME(FileManager.SearchPathDirectory);

typedef NS_OPTIONS(NSUInteger, NSSearchPathDomainMask) {
    NSUserDomainMask = 1,
    NSLocalDomainMask = 2,
    NSNetworkDomainMask = 4,
    NSSystemDomainMask = 8,
    NSAllDomainsMask = 0x0ffff
} NS_SWIFT_NAME(FileManager.SearchPathDomainMask);

typedef NSString *NSFileAttributeKey NS_TYPED_EXTENSIBLE_ENUM NS_SWIFT_NAME(FileAttributeKey);
FOUNDATION_EXPORT NSFileAttributeKey const NSFileOwnerAccountID NS_SWIFT_NAME(ownerAccountID);
FOUNDATION_EXPORT NSFileAttributeKey const NSFilePosixPermissions NS_SWIFT_NAME(posixPermissions);
FOUNDATION_EXPORT NSFileAttributeKey const NSFileSize NS_SWIFT_NAME(size);

typedef NS_OPTIONS(NSUInteger, NSDirectoryEnumerationOptions) {
    NSDirectoryEnumerationSkipsSubdirectoryDescendants = 1UL << 0,
    NSDirectoryEnumerationSkipsPackageDescendants = 1UL << 1,
    NSDirectoryEnumerationSkipsHiddenFiles = 1UL << 2,
} NS_SWIFT_NAME(FileManager.DirectoryEnumerationOptions);

typedef NSString *NSURLResourceKey NS_TYPED_EXTENSIBLE_ENUM NS_SWIFT_NAME(URLResourceKey);

@interface NSEnumerator<ObjectType> : NSObject
- (nullable ObjectType)nextObject;
@end

NS_SWIFT_NAME(FileManager.DirectoryEnumerator)
@interface NSDirectoryEnumerator<ObjectType> : NSEnumerator<ObjectType>
- (void)skipDescendants;
@end

NS_SWIFT_NAME(FileManager)
@interface NSFileManager : NSObject
@property (class, readonly, strong) NSFileManager *defaultManager;
- (NSArray<NSURL *> *)URLsForDirectory:(NSSearchPathDirectory)directory inDomains:(NSSearchPathDomainMask)domainMask
    NS_SWIFT_NAME(urls(for:in:));
- (nullable NSURL *)URLForDirectory:(NSSearchPathDirectory)directory
                           inDomain:(NSSearchPathDomainMask)domain
                  appropriateForURL:(nullable NSURL *)url
                             create:(BOOL)shouldCreate
                              error:(NSError **)error NS_SWIFT_NAME(url(for:in:appropriateFor:create:));
- (BOOL)createDirectoryAtURL:(NSURL *)url
    withIntermediateDirectories:(BOOL)createIntermediates
                     attributes:(nullable NSDictionary<NSFileAttributeKey, id> *)attributes
                          error:(NSError **)error;
- (BOOL)createDirectoryAtPath:(NSString *)path
    withIntermediateDirectories:(BOOL)createIntermediates
                     attributes:(nullable NSDictionary<NSFileAttributeKey, id> *)attributes
                          error:(NSError **)error;
- (nullable NSArray<NSString *> *)contentsOfDirectoryAtPath:(NSString *)path error:(NSError **)error;
- (nullable NSArray<NSURL *> *)contentsOfDirectoryAtURL:(NSURL *)url
                             includingPropertiesForKeys:(nullable NSArray<NSURLResourceKey> *)keys
                                                options:(NSDirectoryEnumerationOptions)mask
                                                  error:(NSError **)error;
- (nullable NSDirectoryEnumerator<NSURL *> *)
                enumeratorAtURL:(NSURL *)url
     includingPropertiesForKeys:(nullable NSArray<NSURLResourceKey> *)keys
                        options:(NSDirectoryEnumerationOptions)mask
                   errorHandler:(nullable BOOL (^)(NSURL *url, NSError *error))handler;
- (BOOL)setAttributes:(NSDictionary<NSFileAttributeKey, id> *)attributes
         ofItemAtPath:(NSString *)path
                error:(NSError **)error;
- (BOOL)createSymbolicLinkAtPath:(NSString *)path withDestinationPath:(NSString *)destPath error:(NSError **)error;
- (BOOL)copyItemAtPath:(NSString *)srcPath toPath:(NSString *)dstPath error:(NSError **)error;
- (BOOL)moveItemAtPath:(NSString *)srcPath toPath:(NSString *)dstPath error:(NSError **)error;
- (BOOL)copyItemAtURL:(NSURL *)srcURL toURL:(NSURL *)dstURL error:(NSError **)error;
- (BOOL)moveItemAtURL:(NSURL *)srcURL toURL:(NSURL *)dstURL error:(NSError **)error;
- (BOOL)removeItemAtURL:(NSURL *)URL error:(NSError **)error;
- (BOOL)removeItemAtPath:(NSString *)path error:(NSError **)error;
@property (readonly, copy) NSString *currentDirectoryPath;
- (BOOL)fileExistsAtPath:(NSString *)path;
- (BOOL)fileExistsAtPath:(NSString *)path isDirectory:(nullable BOOL *)isDirectory;
- (BOOL)isReadableFileAtPath:(NSString *)path;
- (BOOL)isWritableFileAtPath:(NSString *)path;
- (BOOL)isExecutableFileAtPath:(NSString *)path;
- (BOOL)createFileAtPath:(NSString *)path
                contents:(nullable NSData *)data
              attributes:(nullable NSDictionary<NSFileAttributeKey, id> *)attr;
- (nullable NSDictionary<NSFileAttributeKey, id> *)attributesOfItemAtPath:(NSString *)path error:(NSError **)error;
@property (readonly, copy) NSURL *temporaryDirectory;
@property (readonly, copy) NSURL *homeDirectoryForCurrentUser API_UNAVAILABLE(ios, visionos);
@end

NS_SWIFT_SENDABLE NS_SWIFT_NAME(FileHandle)
@interface NSFileHandle : NSObject <NSSecureCoding>
@property (readonly, copy) NSData *availableData;
- (instancetype)initWithFileDescriptor:(int)fd closeOnDealloc:(BOOL)closeopt NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
- (nullable NSData *)readDataToEndOfFileAndReturnError:(out NSError **_Nullable)error NS_REFINED_FOR_SWIFT;
- (nullable NSData *)readDataUpToLength:(NSUInteger)length error:(out NSError **_Nullable)error NS_REFINED_FOR_SWIFT;
- (BOOL)writeData:(NSData *)data error:(out NSError **_Nullable)error NS_REFINED_FOR_SWIFT;
- (BOOL)synchronizeAndReturnError:(out NSError **_Nullable)error NS_SWIFT_NAME(synchronize());
- (BOOL)closeAndReturnError:(out NSError **_Nullable)error NS_SWIFT_NAME(close());
@end

@interface NSFileHandle (NSFileHandleCreation)
@property (class, readonly, strong) NSFileHandle *fileHandleWithStandardInput NS_SWIFT_NAME(standardInput);
@property (class, readonly, strong) NSFileHandle *fileHandleWithStandardOutput NS_SWIFT_NAME(standardOutput);
@property (class, readonly, strong) NSFileHandle *fileHandleWithStandardError NS_SWIFT_NAME(standardError);
@property (class, readonly, strong) NSFileHandle *fileHandleWithNullDevice NS_SWIFT_NAME(nullDevice);
+ (nullable instancetype)fileHandleForReadingAtPath:(NSString *)path;
+ (nullable instancetype)fileHandleForWritingAtPath:(NSString *)path;
+ (nullable instancetype)fileHandleForReadingFromURL:(NSURL *)url error:(NSError **)error;
+ (nullable instancetype)fileHandleForWritingToURL:(NSURL *)url error:(NSError **)error;
@end

@interface NSFileHandle (NSFileHandleAsynchronousAccess)
@property (nullable, copy) void (NS_SWIFT_SENDABLE ^readabilityHandler)(NSFileHandle *);
@property (nullable, copy) void (NS_SWIFT_SENDABLE ^writeabilityHandler)(NSFileHandle *);
@end

@interface NSFileHandle (NSFileHandlePlatformSpecific)
- (instancetype)initWithFileDescriptor:(int)fd;
@property (readonly) int fileDescriptor;
@end

@interface NSFileHandle ()
- (NSData *)readDataToEndOfFile;
- (NSData *)readDataOfLength:(NSUInteger)length;
- (void)writeData:(NSData *)data;
- (void)closeFile;
@end

NS_SWIFT_SENDABLE NS_SWIFT_NAME(Pipe)
@interface NSPipe : NSObject
@property (readonly, retain) NSFileHandle *fileHandleForReading;
@property (readonly, retain) NSFileHandle *fileHandleForWriting;
@end

NS_SWIFT_SENDABLE NS_SWIFT_NAME(Bundle)
@interface NSBundle : NSObject
@property (class, readonly, strong) NSBundle *mainBundle NS_SWIFT_NAME(main);
@property (readonly, copy) NSURL *bundleURL;
@property (readonly, copy) NSString *bundlePath;
@property (nullable, readonly, copy) NSString *executablePath;
@property (nullable, readonly, copy) NSURL *executableURL;
@property (nullable, readonly, copy) NSString *bundleIdentifier;
@property (nullable, readonly, copy) NSDictionary<NSString *, id> *infoDictionary;
- (nullable id)objectForInfoDictionaryKey:(NSString *)key;
- (nullable NSURL *)URLForResource:(nullable NSString *)name withExtension:(nullable NSString *)ext;
@end

NS_SWIFT_NAME(UserDefaults)
@interface NSUserDefaults : NSObject
@property (class, readonly, strong) NSUserDefaults *standardUserDefaults NS_SWIFT_NAME(standard);
- (instancetype)init;
- (nullable instancetype)initWithSuiteName:(nullable NSString *)suitename NS_DESIGNATED_INITIALIZER;
- (nullable id)objectForKey:(NSString *)defaultName;
- (void)setObject:(nullable id)value forKey:(NSString *)defaultName NS_SWIFT_NAME(set(_:forKey:));
- (void)removeObjectForKey:(NSString *)defaultName;
- (nullable NSString *)stringForKey:(NSString *)defaultName;
- (nullable NSData *)dataForKey:(NSString *)defaultName;
- (BOOL)boolForKey:(NSString *)defaultName;
- (void)setBool:(BOOL)value forKey:(NSString *)defaultName NS_SWIFT_NAME(set(_:forKey:));
@end

typedef NS_OPTIONS(NSUInteger, NSJSONReadingOptions) {
    NSJSONReadingMutableContainers = (1UL << 0),
    NSJSONReadingMutableLeaves = (1UL << 1),
    NSJSONReadingFragmentsAllowed = (1UL << 2),
} NS_SWIFT_NAME(JSONSerialization.ReadingOptions);

typedef NS_OPTIONS(NSUInteger, NSJSONWritingOptions) {
    NSJSONWritingPrettyPrinted = (1UL << 0),
    NSJSONWritingSortedKeys = (1UL << 1),
    NSJSONWritingFragmentsAllowed = (1UL << 2),
    NSJSONWritingWithoutEscapingSlashes = (1UL << 3),
} NS_SWIFT_NAME(JSONSerialization.WritingOptions);

NS_SWIFT_NAME(JSONSerialization)
@interface NSJSONSerialization : NSObject
+ (BOOL)isValidJSONObject:(id)obj;
+ (nullable NSData *)dataWithJSONObject:(id)obj options:(NSJSONWritingOptions)opt error:(NSError **)error;
+ (nullable id)JSONObjectWithData:(NSData *)data options:(NSJSONReadingOptions)opt error:(NSError **)error;
@end

NS_HEADER_AUDIT_END(nullability, sendability)
