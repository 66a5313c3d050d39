#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#endif

/// The pipe of the session for which this thread is calling the library.
///
/// The library asks for the time by a callback without the connection or its context, so the value must be
/// thread-specific. Swift, C and all platforms share this kind of storage.
enum CurrentCall {
    static func set(_ pipe: UnsafeMutablePointer<DatagramPipe>?) {
        pthread_setspecific(key, pipe)
    }

    static var pipe: UnsafeMutablePointer<DatagramPipe>? {
        pthread_getspecific(key)?.assumingMemoryBound(to: DatagramPipe.self)
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // Fails only if the process has used up its thread-specific keys, at its start or never.
        precondition(pthread_key_create(&key, nil) == 0, "no thread-specific key is left")
        return key
    }()
}
