@_exported public import Darwin

public typealias CFTypeRef = AnyObject
public typealias CFIndex = Int
public class CFAllocator {}
public class CFString {}
public class CFNumber {}
public class CFBoolean {}
public class CFDictionary {}
public class CFMutableDictionary: CFDictionary {}

nonisolated(unsafe) public let kCFBooleanTrue: CFBoolean! = nil
nonisolated(unsafe) public let kCFBooleanFalse: CFBoolean! = nil

public struct CFDictionaryKeyCallBacks {}
public struct CFDictionaryValueCallBacks {}
nonisolated(unsafe) public let kCFTypeDictionaryKeyCallBacks = CFDictionaryKeyCallBacks()
nonisolated(unsafe) public let kCFTypeDictionaryValueCallBacks = CFDictionaryValueCallBacks()

public enum CFNumberType: Int {
    case sInt32Type = 3
    case float64Type = 6
}

public func CFNumberCreate(_ allocator: CFAllocator!, _ theType: CFNumberType, _ valuePtr: UnsafeRawPointer!) -> CFNumber! { fatalError() }
public func CFDictionaryCreateMutable(
    _ allocator: CFAllocator!, _ capacity: CFIndex, _ keyCallBacks: UnsafePointer<CFDictionaryKeyCallBacks>!,
    _ valueCallBacks: UnsafePointer<CFDictionaryValueCallBacks>!
) -> CFMutableDictionary! { fatalError() }
public func CFDictionarySetValue(_ theDict: CFMutableDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeRawPointer!) { fatalError() }

public typealias CFTimeInterval = Double
public struct CFRunLoopMode: Sendable {
    public static var defaultMode: CFRunLoopMode! { fatalError() }
}
public enum CFRunLoopRunResult: Int32, Sendable { case finished = 1, stopped, timedOut, handledSource }
public func CFRunLoopRunInMode(
    _ mode: CFRunLoopMode!, _ seconds: CFTimeInterval, _ returnAfterSourceHandled: Bool
) -> CFRunLoopRunResult { fatalError() }

public class CFData {}
public class CFMutableData: CFData {}
public class CFArray {}
public typealias CFStringEncoding = UInt32
public func CFStringCreateWithBytes(
    _ alloc: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ numBytes: CFIndex, _ encoding: CFStringEncoding,
    _ isExternalRepresentation: Bool
) -> CFString! { fatalError() }
public func CFStringGetLength(_ theString: CFString!) -> CFIndex { fatalError() }
public func CFStringGetMaximumSizeForEncoding(_ length: CFIndex, _ encoding: CFStringEncoding) -> CFIndex { fatalError() }
public func CFStringGetCString(
    _ theString: CFString!, _ buffer: UnsafeMutablePointer<CChar>!, _ bufferSize: CFIndex, _ encoding: CFStringEncoding
) -> Bool { fatalError() }
public func CFDataCreate(_ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex) -> CFData! { fatalError() }
public func CFDataCreateMutable(_ allocator: CFAllocator!, _ capacity: CFIndex) -> CFMutableData! { fatalError() }
public func CFDataGetLength(_ theData: CFData!) -> CFIndex { fatalError() }
public func CFDataGetBytePtr(_ theData: CFData!) -> UnsafePointer<UInt8>! { fatalError() }
public func CFArrayGetCount(_ theArray: CFArray!) -> CFIndex { fatalError() }
public func CFArrayGetValueAtIndex(_ theArray: CFArray!, _ idx: CFIndex) -> UnsafeRawPointer! { fatalError() }
public func CFDictionaryGetValue(_ theDict: CFDictionary!, _ key: UnsafeRawPointer!) -> UnsafeRawPointer! { fatalError() }
