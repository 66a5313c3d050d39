internal import NIOCore
internal import NIOPosix
internal import RTCWire
internal import Synchronization

/// Why a name has no addresses.
enum ResolutionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not a host name.
    case invalidName(String)
    /// The name does not exist, or has no addresses.
    case notFound(String)
    case timedOut(String)
    /// Too many lookups at once.
    case busy(String)
    case cancelled

    var description: String {
        switch self {
        case .invalidName(let name): "\"\(name)\" is not a host name."
        case .notFound(let name): "\(name) has no address. Check the spelling and the network."
        case .timedOut(let name): "Looking up \(name) took too long. Check the name server."
        case .busy(let name): "\(name) was not looked up: too many lookups at once."
        case .cancelled: "The lookup was cancelled."
        }
    }
}

/// Finds the addresses of host names, off the event loop.
///
/// The system's lookup blocks and cannot be stopped. It runs on NIO's pool of threads, IPv4 and IPv6 side by side, and
/// a caller that has given up is merely forgotten. When one family has answered, the other is given a short while
/// longer (RFC 8305, section 3): a name server that ignores AAAA questions must not delay a call by seconds.
enum NameResolver {
    static let defaultTimeout = TimeAmount.seconds(5)
    private static let secondFamilyDelay = TimeAmount.milliseconds(250)
    /// Lookups of the process that may wait for the system at once, each for two families.
    private static let maximumLookups = 32
    private static let lookups = Mutex(0)

    /// Finds the addresses of `host` and calls `completion` with at least one of them, on `eventLoop`.
    ///
    /// Call it on `eventLoop`. A literal address, and a name that cannot exist, are answered before the call returns.
    /// Names of the form `<label>.local` are asked of the local network (RFC 6762).
    ///
    /// - Returns: The lookup, to cancel it: `completion` is then never called.
    @discardableResult
    static func resolve(
        _ host: String, timeout: TimeAmount = defaultTimeout, on eventLoop: any EventLoop,
        _ completion: @escaping (Result<[IPAddress], ResolutionError>) -> Void
    ) -> Lookup {
        let lookup = Lookup(eventLoop, completion)
        if let literal = IPAddress(host) {
            lookup.finish(.success([literal]))
        } else if !isHostName(host) {
            lookup.finish(.failure(.invalidName(host)))
        } else if MulticastDNSName(host) != nil, MulticastDNSQuerier.isAvailable {
            lookup.timer = eventLoop.assumeIsolated().scheduleTask(in: timeout) {
                lookup.finish(.failure(.timedOut(host)))
            }
            let bound = NIOLoopBound(lookup, eventLoop: eventLoop)
            MulticastDNSQuerier.shared.resolve(host) { result in
                eventLoop.execute { bound.value.finish(result) }
            }
        } else {
            start(lookup, host: host, timeout: timeout, on: eventLoop)
        }
        return lookup
    }

    /// The addresses of `host`, at least one.
    ///
    /// - Throws: ``ResolutionError``; `cancelled` when the task is cancelled.
    static func addresses(
        of host: String, timeout: TimeAmount = defaultTimeout,
        on eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.any()
    ) async throws -> [IPAddress] {
        let promise = eventLoop.makePromise(of: [IPAddress].self)
        return try await withTaskCancellationHandler {
            eventLoop.execute {
                let lookup = resolve(host, timeout: timeout, on: eventLoop) { promise.completeWith($0.mapError { $0 }) }
                // The promise keeps the lookup alive until it is complete.
                let bound = NIOLoopBound(lookup, eventLoop: eventLoop)
                promise.futureResult.whenComplete { _ in bound.value.cancel() }
            }
            return try await promise.futureResult.get()
        } onCancel: {
            promise.fail(ResolutionError.cancelled)
        }
    }

    /// A lookup that is under way. Used on its event loop.
    final class Lookup {
        private var completion: ((Result<[IPAddress], ResolutionError>) -> Void)?
        private let eventLoop: any EventLoop
        fileprivate var timer: Scheduled<Void>?
        fileprivate var found: [IPAddress] = []
        fileprivate var familiesLeft = 2

        fileprivate init(
            _ eventLoop: any EventLoop, _ completion: @escaping (Result<[IPAddress], ResolutionError>) -> Void
        ) {
            eventLoop.preconditionInEventLoop()
            self.eventLoop = eventLoop
            self.completion = completion
        }

        /// Forgets the lookup.
        func cancel() {
            completion = nil
            timer?.cancel()
            timer = nil
        }

        fileprivate func finish(_ result: Result<[IPAddress], ResolutionError>) {
            let completion = completion
            cancel()
            completion?(result)
        }
    }
}

extension NameResolver {
    private static func start(_ lookup: Lookup, host: String, timeout: TimeAmount, on eventLoop: any EventLoop) {
        let isAdmitted = lookups.withLock { lookups in
            guard lookups < maximumLookups else { return false }
            lookups += 1
            return true
        }
        guard isAdmitted else { return lookup.finish(.failure(.busy(host))) }

        lookup.timer = eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            lookup.finish(lookup.found.isEmpty ? .failure(.timedOut(host)) : .success(lookup.found))
        }
        let ask = { (family: CInt) in
            NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) { systemLookup(host, family: family) }
        }
        let answers = [ask(AF_INET6), ask(AF_INET)]
        for answer in answers {
            answer.assumeIsolated().whenComplete { result in
                if case .success(let addresses) = result { lookup.found += addresses }
                lookup.familiesLeft -= 1
                if lookup.familiesLeft == 0 {
                    lookups.withLock { $0 -= 1 }
                    lookup.finish(lookup.found.isEmpty ? .failure(.notFound(host)) : .success(lookup.found))
                } else if !lookup.found.isEmpty, lookup.timer != nil {
                    lookup.timer?.cancel()
                    lookup.timer = eventLoop.assumeIsolated().scheduleTask(in: secondFamilyDelay) {
                        lookup.finish(.success(lookup.found))
                    }
                }
            }
        }
    }

    /// Asks the system, and waits for it.
    private static func systemLookup(_ host: String, family: CInt) -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_family = family
        hints.ai_socktype = addrinfo.datagramSocketType
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        var next = list
        while let entry = next?.pointee, addresses.count < 16 {
            next = entry.ai_next
            guard let address = entry.ai_addr,
                let ip = TransportAddress(address, length: Int(entry.ai_addrlen))?.ip, !addresses.contains(ip)
            else { continue }
            addresses.append(ip)
        }
        return addresses
    }

    /// Whether `text` can be a host name: labels of 1 to 63 letters, digits, `-` and `_`, 253 bytes in all.
    static func isHostName(_ text: String) -> Bool {
        var text = text[...]
        if text.last == "." { text = text.dropLast() }
        guard !text.isEmpty, text.utf8.count <= 253 else { return false }
        var length = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "."):
                guard length > 0 else { return false }
                length = 0
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                length += 1
                guard length <= 63 else { return false }
            default: return false
            }
        }
        return length > 0
    }
}

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif
