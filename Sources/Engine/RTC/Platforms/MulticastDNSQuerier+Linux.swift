#if os(Linux)
    internal import Glibc
    internal import NIOCore
    internal import NIOPosix
    internal import RTCNetwork
    internal import RTCWire

    /// Resolves `.local` names by mDNS (RFC 6762).
    ///
    /// One querier serves the process. Its sockets are open only during queries: a process that never gets such a name
    /// never joins a multicast group. A network without multicast leads to a timeout, like an unknown name.
    final class MulticastDNSQuerier: MulticastNameSource {
        static let ofMachine: (any MulticastNameSource)? = MulticastDNSQuerier()

        private let eventLoop: any EventLoop
        private let core: NIOLoopBoundBox<MulticastDNSQueries?>

        init(eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.any()) {
            self.eventLoop = eventLoop
            core = .makeEmptyBox(valueType: MulticastDNSQueries.self, eventLoop: eventLoop)
        }

        /// Queries the addresses of `host` up to three times within 3 s, and calls `completion` on the querier's event
        /// loop.
        func resolve(_ host: String, _ completion: @escaping @Sendable (Result<[IPAddress], ResolutionError>) -> Void) {
            guard let name = MulticastDNSName(host) else { return completion(.failure(.invalidName(host))) }
            eventLoop.execute { [core, eventLoop] in
                let queries = core.value ?? MulticastDNSQueries(on: eventLoop)
                core.value = queries
                queries.ask(name, completion)
            }
        }
    }

    /// Carries out the outputs of ``MulticastDNSQuestions``: sockets, a timer, and the callbacks for each name. Used on
    /// one event loop.
    private final class MulticastDNSQueries: DatagramSocketOwner {
        private typealias Completion = @Sendable (Result<[IPAddress], ResolutionError>) -> Void

        private let eventLoop: any EventLoop
        private var questions = MulticastDNSQuestions()
        private var completions: [MulticastDNSName: [Completion]] = [:]
        private var sockets: [MulticastSocket] = []
        private let timer: LoopTimer

        init(on eventLoop: any EventLoop) {
            self.eventLoop = eventLoop
            timer = LoopTimer(eventLoop)
        }

        func ask(
            _ name: MulticastDNSName, _ completion: @escaping @Sendable (Result<[IPAddress], ResolutionError>) -> Void
        ) {
            guard questions.ask(name, at: MediaClock.now) else { return completion(.failure(.busy(name.description))) }
            if sockets.isEmpty { sockets = MulticastSocket.openAll(on: eventLoop, owner: self) }
            completions[name, default: []].append(completion)
            update()
        }

        private func update() {
            while let output = questions.pollOutput() {
                switch output {
                case .multicast(let message): for socket in sockets { socket.multicast(message) }
                case .finished(let name, let addresses): finish(name, addresses)
                }
            }
            if questions.isEmpty {
                for socket in sockets { socket.close() }
                sockets = []
            }
            timer.set(to: questions.nextDeadline?.deadline) { [weak self] in
                self?.questions.handleTimeout(at: MediaClock.now)
                self?.update()
            }
        }

        private func finish(_ name: MulticastDNSName, _ addresses: [IPAddress]) {
            let result: Result<[IPAddress], ResolutionError> =
                addresses.isEmpty ? .failure(.timedOut(name.description)) : .success(addresses)
            for completion in completions.removeValue(forKey: name) ?? [] { completion(result) }
        }

        func datagramSocket(_ socket: DatagramSocket, received datagrams: ReceivedDatagrams) {
            let count = questions.count
            datagrams.forEach { questions.receive(RawSpan(_unsafeBytes: $0), from: datagrams.remote) }
            // Most mDNS messages on a network answer none of our queries.
            if questions.count < count { update() }
        }

        func datagramSocketDidReadBurst(_ socket: DatagramSocket) {}

        func datagramSocketDidBecomeWritable(_ socket: DatagramSocket) {}

        func datagramSocket(_ socket: DatagramSocket, didFailWith error: any Error) {
            sockets.removeAll { $0.socket === socket }
        }
    }

    /// A socket of one address family, joined to the mDNS group on every interface.
    private struct MulticastSocket {
        let socket: DatagramSocket
        private let descriptor: CInt
        private let group: TransportAddress
        private let interfaces: [UInt32]

        /// 224.0.0.251 and ff02::fb
        private static let groups = [
            IPAddress(224, 0, 0, 251), IPAddress(v6High: 0xFF02_0000_0000_0000, low: 0xFB),
        ]

        /// Opens a socket for each address family of this machine.
        static func openAll(on eventLoop: any EventLoop, owner: any DatagramSocketOwner) -> [MulticastSocket] {
            let addresses = InterfaceTable.addresses()
            return groups.compactMap { group in
                let indexes = Set(
                    addresses.filter { $0.ip.isIPv4 == group.isIPv4 && $0.interface.isUp }.map(\.interface.index))
                return open(group, interfaces: indexes.sorted(), on: eventLoop, owner: owner)
            }
        }

        private static func open(
            _ group: IPAddress, interfaces: [UInt32], on eventLoop: any EventLoop, owner: any DatagramSocketOwner
        ) -> MulticastSocket? {
            guard !interfaces.isEmpty else { return nil }
            let descriptor = DatagramSystemCalls.openDatagramSocket(isIPv6: group.isIPv6)
            guard descriptor >= 0 else { return nil }
            // The port is shared with the system's responder and other programs.
            set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
            set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1)
            if group.isIPv6 {
                set(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, 1)
                set(descriptor, CInt(IPPROTO_IPV6), IPV6_MULTICAST_HOPS, 255)
            } else {
                set(descriptor, CInt(IPPROTO_IP), IP_MULTICAST_TTL, 255)
            }
            let joined = interfaces.filter { join(descriptor, group, interface: $0) }
            let any = TransportAddress(
                ip: group.isIPv6 ? IPAddress(v6High: 0, low: 0) : IPAddress(v4: 0), port: MulticastDNSMessage.port)
            guard !joined.isEmpty, any.withSocketAddress({ bind(descriptor, $0, $1) }) == 0 else {
                Glibc.close(descriptor)
                return nil
            }
            guard let socket = try? DatagramSocket(adopting: descriptor, localAddress: any, on: eventLoop) else {
                return nil
            }
            socket.owner = owner
            return MulticastSocket(
                socket: socket, descriptor: descriptor,
                group: TransportAddress(ip: group, port: MulticastDNSMessage.port), interfaces: joined)
        }

        /// Sends `message` to the group on every interface.
        func multicast(_ message: [UInt8]) {
            for interface in interfaces {
                guard socket.isOpen, Self.select(descriptor, interface: interface, isIPv6: group.ip.isIPv6) else {
                    continue
                }
                message.withUnsafeBytes { socket.send($0, segmentSize: message.count, to: group) }
            }
        }

        func close() { socket.close() }

        private static func join(_ descriptor: CInt, _ group: IPAddress, interface: UInt32) -> Bool {
            let length: socklen_t
            if group.isIPv6 {
                var request = ipv6_mreq()
                request.ipv6mr_multiaddr = TransportAddress(ip: group, port: 0).withSocketAddress { address, _ in
                    UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr
                }
                request.ipv6mr_interface = interface
                length = socklen_t(MemoryLayout<ipv6_mreq>.size)
                return setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_JOIN_GROUP, &request, length) == 0
            }
            var request = ip_mreqn()
            request.imr_multiaddr.s_addr = (group.v4Bits ?? 0).bigEndian
            request.imr_ifindex = CInt(bitPattern: interface)
            length = socklen_t(MemoryLayout<ip_mreqn>.size)
            return setsockopt(descriptor, CInt(IPPROTO_IP), IP_ADD_MEMBERSHIP, &request, length) == 0
        }

        private static func select(_ descriptor: CInt, interface: UInt32, isIPv6: Bool) -> Bool {
            if isIPv6 {
                return set(descriptor, CInt(IPPROTO_IPV6), IPV6_MULTICAST_IF, CInt(bitPattern: interface))
            }
            var request = ip_mreqn()
            request.imr_ifindex = CInt(bitPattern: interface)
            let length = socklen_t(MemoryLayout<ip_mreqn>.size)
            return setsockopt(descriptor, CInt(IPPROTO_IP), IP_MULTICAST_IF, &request, length) == 0
        }

        @discardableResult
        private static func set(_ descriptor: CInt, _ level: CInt, _ name: CInt, _ value: CInt) -> Bool {
            var value = value
            return setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size)) == 0
        }
    }
#endif
