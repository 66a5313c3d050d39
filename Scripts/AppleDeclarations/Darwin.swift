public typealias OSStatus = Int32
public typealias OSType = UInt32
public let noErr: OSStatus = 0

public typealias off_t = Int64
public typealias mode_t = UInt16
public typealias clockid_t = UInt32

public var errno: Int32 { get { fatalError() } set { fatalError() } }
public let EINTR: Int32 = 4
public let O_RDONLY: Int32 = 0
public let O_NONBLOCK: Int32 = 4
public let O_WRONLY: Int32 = 1
public let O_CREAT: Int32 = 0x200
public let O_TRUNC: Int32 = 0x400
public let O_CLOEXEC: Int32 = 0x100_0000
public let SEEK_SET: Int32 = 0
public let SEEK_END: Int32 = 2
public let CLOCK_UPTIME_RAW: clockid_t = 8

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { fatalError() }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func close(_ descriptor: Int32) -> Int32 { fatalError() }
public func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer!, _ count: Int) -> Int { fatalError() }
public func write(_ descriptor: Int32, _ buffer: UnsafeRawPointer!, _ count: Int) -> Int { fatalError() }
@discardableResult public func lseek(_ descriptor: Int32, _ offset: off_t, _ whence: Int32) -> off_t { fatalError() }
public func getenv(_ name: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { fatalError() }
public func getpid() -> Int32 { fatalError() }
@discardableResult public func mkdir(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func rename(_ old: UnsafePointer<CChar>!, _ new: UnsafePointer<CChar>!) -> Int32 { fatalError() }
@discardableResult public func unlink(_ path: UnsafePointer<CChar>!) -> Int32 { fatalError() }
public func strerror(_ number: Int32) -> UnsafeMutablePointer<CChar>! { fatalError() }

public struct timespec {
    public var tv_sec: Int
    public var tv_nsec: Int
    public init() { fatalError() }
    public init(tv_sec: Int, tv_nsec: Int) { fatalError() }
}

@discardableResult public func clock_gettime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>!) -> Int32 { fatalError() }
public func nanosleep(_ request: UnsafePointer<timespec>!, _ rest: UnsafeMutablePointer<timespec>!) -> Int32 { fatalError() }

public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>
public struct _opaque_pthread_t {}
public struct pthread_attr_t { public init() { fatalError() } }
public struct pthread_mutex_t { public init() { fatalError() } }
public struct pthread_mutexattr_t { public init() { fatalError() } }
public var PTHREAD_CREATE_DETACHED: Int32 { 2 }
@discardableResult public func pthread_attr_init(_ attributes: UnsafeMutablePointer<pthread_attr_t>) -> Int32 { fatalError() }
@discardableResult public func pthread_attr_destroy(_ attributes: UnsafeMutablePointer<pthread_attr_t>) -> Int32 { fatalError() }
@discardableResult public func pthread_attr_setdetachstate(_ attributes: UnsafeMutablePointer<pthread_attr_t>, _ state: Int32) -> Int32 { fatalError() }
public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>!, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?, _ argument: UnsafeMutableRawPointer?
) -> Int32 { fatalError() }
@discardableResult public func pthread_mutex_init(_ mutex: UnsafeMutablePointer<pthread_mutex_t>, _ attributes: UnsafePointer<pthread_mutexattr_t>?) -> Int32 { fatalError() }
@discardableResult public func pthread_mutex_destroy(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { fatalError() }
@discardableResult public func pthread_mutex_lock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { fatalError() }
@discardableResult public func pthread_mutex_unlock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { fatalError() }
