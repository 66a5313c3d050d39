#if os(Linux)
    import Glibc
    import NIOCore
    import NIOPosix
    import RTCWire
    import Synchronization
    import Testing

    @testable import RTC
    @testable import RTCNetwork

    @Suite("Multicast DNS on the wire", .serialized)
    struct MulticastDNSQuerierTests {
        @Test("A responder on this machine answers by multicast, and the name resolves")
        func resolves() async throws {
            let responder = try Responder(name: "duet-\(UInt32.random(in: 0 ... .max)).local", answer: [192, 0, 2, 77])
            defer { responder.stop() }
            let addresses = try await NameResolver.addresses(
                of: responder.name, multicast: MulticastDNSQuerier.ofMachine)
            #expect(addresses == [IPAddress(192, 0, 2, 77)])
        }

        @Test("A name that nobody has times out softly, and many at once are bounded")
        func unknownName() async {
            await #expect(throws: ResolutionError.timedOut("nobody-here.local")) {
                try await NameResolver.addresses(
                    of: "nobody-here.local", timeout: .milliseconds(200), multicast: MulticastDNSQuerier.ofMachine)
            }
        }
    }

    /// Answers questions for one name on the loopback interface, as a browser does: by multicast.
    private final class Responder: Sendable {
        let name: String
        private let isStopped = Mutex(false)
        private let descriptor: CInt

        init(name: String, answer: [UInt8]) throws {
            self.name = name
            let descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
            self.descriptor = descriptor
            var on: CInt = 1
            let size = socklen_t(MemoryLayout<CInt>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, size)
            var wait = timeval(tv_sec: 0, tv_usec: 50_000)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
            var request = ip_mreqn()
            request.imr_multiaddr.s_addr = UInt32(0xE000_00FB).bigEndian
            request.imr_ifindex = CInt(if_nametoindex("lo"))
            let requestSize = socklen_t(MemoryLayout<ip_mreqn>.size)
            try #require(setsockopt(descriptor, CInt(IPPROTO_IP), IP_ADD_MEMBERSHIP, &request, requestSize) == 0)
            try #require(setsockopt(descriptor, CInt(IPPROTO_IP), IP_MULTICAST_IF, &request, requestSize) == 0)
            let any = TransportAddress(ip: IPAddress(v4: 0), port: 5353)
            try #require(any.withSocketAddress { bind(descriptor, $0, $1) } == 0)
            NIOThreadPool.singleton.submit { [self] _ in
                let label = Array(name.utf8.prefix { $0 != UInt8(ascii: ".") })
                let group = TransportAddress(ip: IPAddress(224, 0, 0, 251), port: 5353)
                let message = Self.response(name, answer)
                var buffer = [UInt8](repeating: 0, count: 2_000)
                while !isStopped.withLock({ $0 }) {
                    let count = recv(descriptor, &buffer, buffer.count, 0)
                    guard count > 13, buffer[2] & 0x80 == 0, buffer[13..<count].starts(with: label) else { continue }
                    _ = group.withSocketAddress { sendto(descriptor, message, message.count, 0, $0, $1) }
                }
                close(descriptor)
            }
        }

        /// A message with one record: A, with the bit for flushing caches, and 120 seconds to live.
        private static func response(_ name: String, _ answer: [UInt8]) -> [UInt8] {
            var bytes: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0]
            for label in name.split(separator: ".") { bytes += [UInt8(label.utf8.count)] + label.utf8 }
            return bytes + [0, 0, 1, 0x80, 1, 0, 0, 0, 120, 0, UInt8(answer.count)] + answer
        }

        func stop() { isStopped.withLock { $0 = true } }
    }
#endif
