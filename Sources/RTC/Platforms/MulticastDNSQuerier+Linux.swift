#if os(Linux)
    internal import Glibc
    internal import NIOCore
    internal import NIOPosix
    internal import RTCWire

    /// Asks the local network for the addresses of `.local` names (RFC 6762).
    ///
    /// One querier serves the process. Its sockets are open while a question is: a process that never meets such a name
    /// never joins a multicast group. A network without multicast ends in a time-out like a name that nobody has.
    final class MulticastDNSQuerier: Sendable {
        static let shared = MulticastDNSQuerier()
        static let isAvailable = true

        private let eventLoop: any EventLoop
        private let core: NIOLoopBoundBox<MulticastDNSQueries?>

        init(eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.any()) {
            self.eventLoop = eventLoop
            core = .makeEmptyBox(valueType: MulticastDNSQueries.self, eventLoop: eventLoop)
        }

        /// Asks up to three times within 3 s for the addresses of `host`, and calls `completion` on the querier's own
        /// event loop.
        func resolve(_ host: String, _ completion: @escaping @Sendable (Result<[IPAddress], ResolutionError>) -> Void) {
            guard let name = MulticastDNSName(host) else { return completion(.failure(.invalidName(host))) }
            eventLoop.execute { [core, eventLoop] in
                let queries = core.value ?? MulticastDNSQueries(on: eventLoop)
                core.value = queries
                queries.ask(name, completion)
            }
        }
    }

    /// The questions that are open, and the sockets that they go out on. Used on one event loop.
    private final class MulticastDNSQueries: DatagramSocketOwner {
        /// RFC 6762, section 5.2: a second at least before the first repetition.
        private static let interval = TimeAmount.seconds(1)
        private static let attempts = 3
        /// Names that a hostile description could make us ask for at once.
        private static let maximumQueries = 64

        private struct Query {
            var completions: [@Sendable (Result<[IPAddress], ResolutionError>) -> Void]
            var attemptsLeft: Int
            var timer: Scheduled<Void>?
        }

        private let eventLoop: any EventLoop
        private var queries: [MulticastDNSName: Query] = [:]
        private var sockets: [MulticastSocket] = []

        init(on eventLoop: any EventLoop) {
            self.eventLoop = eventLoop
        }

        func ask(
            _ name: MulticastDNSName, _ completion: @escaping @Sendable (Result<[IPAddress], ResolutionError>) -> Void
        ) {
            if queries[name] != nil {
                queries[name]?.completions.append(completion)
                return
            }
            guard queries.count < Self.maximumQueries else { return completion(.failure(.busy(name.description))) }
            if sockets.isEmpty { sockets = MulticastSocket.openAll(on: eventLoop, owner: self) }
            queries[name] = Query(completions: [completion], attemptsLeft: Self.attempts)
            send(name)
        }

        private func send(_ name: MulticastDNSName) {
            guard let attemptsLeft = queries[name]?.attemptsLeft else { return }
            guard attemptsLeft > 0 else { return finish(name, .failure(.timedOut(name.description))) }
            // The first question may be answered to us alone. That answer can end up with another program that shares
            // the port, so the repetitions ask for one to everybody.
            let message = MulticastDNSMessage.query(name, wantsUnicast: attemptsLeft == Self.attempts)
            for socket in sockets { socket.multicast(message) }
            queries[name]?.attemptsLeft = attemptsLeft - 1
            queries[name]?.timer = eventLoop.assumeIsolated().scheduleTask(in: Self.interval) { [weak self] in
                self?.send(name)
            }
        }

        private func finish(_ name: MulticastDNSName, _ result: Result<[IPAddress], ResolutionError>) {
            guard let query = queries.removeValue(forKey: name) else { return }
            query.timer?.cancel()
            if queries.isEmpty {
                for socket in sockets { socket.close() }
                sockets = []
            }
            for completion in query.completions { completion(result) }
        }

        func datagramSocket(_ socket: DatagramSocket, received datagrams: ReceivedDatagrams) {
            // RFC 6762, section 6: whatever comes from another port is no answer.
            guard datagrams.remote.port == MulticastDNSMessage.port else { return }
            datagrams.forEach { bytes in
                var found: [MulticastDNSName: [IPAddress]] = [:]
                MulticastDNSMessage.forEachAddress(in: RawSpan(_unsafeBytes: bytes)) { name, ip in
                    guard queries[name] != nil, found[name, default: []].count < 8 else { return }
                    var ip = ip
                    // A link-local address belongs to the link that the answer came from.
                    if ip.isLinkLocal, ip.isIPv6 { ip.zone = datagrams.remote.ip.zone }
                    found[name, default: []].append(ip)
                }
                for (name, addresses) in found { finish(name, .success(addresses)) }
            }
        }

        func datagramSocketDidReadBurst(_ socket: DatagramSocket) {}

        func datagramSocketDidBecomeWritable(_ socket: DatagramSocket) {}

        func datagramSocket(_ socket: DatagramSocket, didFailWith error: any Error) {
            sockets.removeAll { $0.socket === socket }
        }
    }

    /// A socket of one address family that has joined the group of multicast DNS on every interface.
    private struct MulticastSocket {
        let socket: DatagramSocket
        private let descriptor: CInt
        private let group: TransportAddress
        private let interfaces: [UInt32]

        /// 224.0.0.251 and ff02::fb
        private static let groups = [
            IPAddress(224, 0, 0, 251), IPAddress(v6High: 0xFF02_0000_0000_0000, low: 0xFB),
        ]

        /// A socket for each family that this machine has.
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
            // The port is shared with the system's own responder and with other programs.
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
