#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#endif

/// The pipe of the session that this thread is calling the library for.
///
/// The library asks for the time through a callback that is told neither the connection nor its context, so the answer
/// has to lie with the thread. A thread-specific value is the one kind that Swift, C and every platform share.
enum CurrentCall {
    static func set(_ pipe: UnsafeMutablePointer<DatagramPipe>?) {
        pthread_setspecific(key, pipe)
    }

    static var pipe: UnsafeMutablePointer<DatagramPipe>? {
        pthread_getspecific(key)?.assumingMemoryBound(to: DatagramPipe.self)
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // Fails only when a process has used up its keys, at its start or never.
        precondition(pthread_key_create(&key, nil) == 0, "no thread-specific key is left")
        return key
    }()
}
