package import NIOCore
internal import NIOPosix
package import RTCWire

/// The reason why a name has no addresses.
package enum ResolutionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is not a host name.
    case invalidName(String)
    /// The name does not exist, or has no addresses.
    case notFound(String)
    /// No name server answered.
    case noServer(String)
    case timedOut(String)
    /// Too many lookups are in progress.
    case busy(String)
    case cancelled

    package var description: String {
        switch self {
        case .invalidName(let name): "\"\(name)\" is not a host name."
        case .notFound(let name): "\(name) has no address. Check the spelling and the network."
        case .noServer(let name): "No name server answers for \(name). Check the network and its name server."
        case .timedOut(let name): "Looking up \(name) took too long. Check the name server."
        case .busy(let name): "\(name) was not looked up: too many lookups at once."
        case .cancelled: "The lookup was cancelled."
        }
    }
}

/// Resolves host names, off the event loop, by the rules of ``AddressLookup``.
package enum NameResolver {
    package static let defaultTimeout = TimeAmount.seconds(5)

    /// Resolves `host`, and passes the addresses to `eventLoop` as they arrive.
    ///
    /// Call it on `eventLoop`. Literal addresses and invalid names complete before the call returns.
    ///
    /// - Parameters:
    ///   - multicast: Resolves names of the form `<label>.local` (RFC 6762); `nil` where `source` does.
    ///   - needsNAT64: Whether IPv4 addresses are reached through NAT64; `nil` checks whether this machine has IPv4.
    ///   - found: Called once for each new address. May be called after `completion`, if a name server was slow.
    ///   - completion: Called once: with the addresses found once waiting for more is not worthwhile, or with the
    ///     reason of the failure.
    /// - Returns: The lookup. After its cancellation nothing is called any more.
    @discardableResult
    package static func resolve(
        _ host: String, timeout: TimeAmount = defaultTimeout, from source: any NameSource = SystemNameSource(),
        multicast: (any MulticastNameSource)?, needsNAT64: Bool? = nil, on eventLoop: any EventLoop,
        found: @escaping ([IPAddress]) -> Void,
        completion: @escaping (Result<[IPAddress], ResolutionError>) -> Void
    ) -> Lookup {
        let literal = IPAddress(host)
        if literal == nil, !isHostName(host) {
            let lookup = Lookup(AddressLookup("::", needsNAT64: false, timeout: .zero, at: .zero), on: eventLoop)
            completion(.failure(.invalidName(host)))
            return lookup
        }
        let rules = AddressLookup(
            host, needsNAT64: needsNAT64 ?? Self.needsNAT64(literal),
            timeout: .nanoseconds(timeout.nanoseconds), at: NIODeadline.now().instant)
        let lookup = Lookup(rules, on: eventLoop)
        lookup.found = found
        lookup.completion = completion
        lookup.start(from: source, multicast: multicast)
        return lookup
    }

    /// Resolves `host` and calls `completion` once, with at least one address or an error, on `eventLoop`.
    ///
    /// Like the function above, for all addresses at once.
    @discardableResult
    package static func resolve(
        _ host: String, timeout: TimeAmount = defaultTimeout, multicast: (any MulticastNameSource)?,
        on eventLoop: any EventLoop, _ completion: @escaping (Result<[IPAddress], ResolutionError>) -> Void
    ) -> Lookup {
        resolve(
            host, timeout: timeout, multicast: multicast, on: eventLoop, found: { _ in }, completion: completion)
    }

    /// Returns the addresses of `host`, at least one.
    ///
    /// - Throws: ``ResolutionError``; `cancelled` when the task is cancelled.
    static func addresses(
        of host: String, timeout: TimeAmount = defaultTimeout, multicast: (any MulticastNameSource)?,
        on eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.any()
    ) async throws -> [IPAddress] {
        let promise = eventLoop.makePromise(of: [IPAddress].self)
        return try await withTaskCancellationHandler {
            eventLoop.execute {
                let lookup = resolve(host, timeout: timeout, multicast: multicast, on: eventLoop) {
                    promise.completeWith($0.mapError { $0 })
                }
                // The promise keeps the lookup alive until it is complete.
                let bound = NIOLoopBound(lookup, eventLoop: eventLoop)
                promise.futureResult.whenComplete { _ in bound.value.cancel() }
            }
            return try await promise.futureResult.get()
        } onCancel: {
            promise.fail(ResolutionError.cancelled)
        }
    }

    /// Whether this machine has IPv6 and no IPv4, except for unusable addresses.
    private static func needsNAT64(_ literal: IPAddress?) -> Bool {
        if literal?.isIPv6 == true { return false }
        if let literal, literal.isLoopback { return false }
        return needsNAT64(InterfaceTable.addresses())
    }

    static func needsNAT64(_ addresses: [InterfaceAddress]) -> Bool {
        let useful = addresses.filter { $0.interface.isUp && !$0.ip.isLoopback && !$0.ip.isLinkLocal }
        return !useful.isEmpty && !useful.contains(where: \.ip.isIPv4)
    }

    /// Whether `text` is a valid host name: labels of 1 to 63 letters, digits, `-` and `_`, 253 bytes in total.
    package static func isHostName(_ text: String) -> Bool {
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

extension NameResolver {
    /// A lookup in progress. Used on its event loop, and kept alive by pending callbacks.
    package final class Lookup {
        fileprivate var found: (([IPAddress]) -> Void)?
        fileprivate var completion: ((Result<[IPAddress], ResolutionError>) -> Void)?
        private var rules: AddressLookup
        private let eventLoop: any EventLoop
        private let timer: LoopTimer

        fileprivate init(_ rules: AddressLookup, on eventLoop: any EventLoop) {
            eventLoop.preconditionInEventLoop()
            self.rules = rules
            self.eventLoop = eventLoop
            timer = LoopTimer(eventLoop)
        }

        /// Cancels the lookup. Later results from the system are ignored.
        package func cancel() {
            found = nil
            completion = nil
            timer.cancel()
        }

        fileprivate func start(from source: any NameSource, multicast: (any MulticastNameSource)?) {
            let bound = NIOLoopBound(self, eventLoop: eventLoop)
            let eventLoop = eventLoop
            if MulticastDNSName(rules.host) != nil, let multicast {
                multicast.resolve(rules.host) { result in
                    eventLoop.execute { bound.value.receive(fromMulticast: result) }
                }
            } else {
                for question in rules.questions {
                    let name = question == .nat64 ? NAT64Prefix.discoveryName : rules.host
                    source.ask(name, wantsIPv6: question != .ipv4) { answer in
                        eventLoop.execute { bound.value.receive(answer, to: question) }
                    }
                }
            }
            update()
        }

        private func receive(fromMulticast result: Result<[IPAddress], ResolutionError>) {
            rules.receive(fromMulticast: (try? result.get()) ?? [], at: NIODeadline.now().instant)
            if case .failure(let error) = result, let completion {
                cancel()
                return completion(.failure(error))
            }
            update()
        }

        private func receive(_ answer: AddressLookup.Answer, to question: AddressLookup.Question) {
            rules.receive(answer, to: question, at: NIODeadline.now().instant)
            update()
        }

        private func update() {
            while let output = rules.pollOutput() {
                switch output {
                case .found(let addresses): found?(addresses)
                case .settled(let result):
                    let completion = completion
                    self.completion = nil
                    completion?(result)
                }
            }
            if rules.isOver { found = nil }
            // The lookup may have been cancelled by a callback, or before it started.
            timer.set(to: found == nil ? nil : rules.nextDeadline?.deadline) {
                self.rules.handleTimeout(at: NIODeadline.now().instant)
                self.update()
            }
        }
    }
}
