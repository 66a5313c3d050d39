internal import RTCWire

/// Opens UDP descriptors and listening TCP descriptors, bound to an address and a port of a range.
enum DatagramBinding {
    /// The requested buffer sizes, limited by the kernel. Room for about 20 ms at 1 Gbit/s, kernel overhead included;
    /// memory is used only while datagrams wait.
    static let bufferSize: CInt = 2 * 1024 * 1024

    /// Opens a UDP descriptor: bound, non-blocking, close-on-exec, and for its own address family only.
    ///
    /// - Parameters:
    ///   - ports: Ports to choose from, tried in random order, each at most once; `nil` lets the system choose.
    /// - Throws: ``SocketError``.
    static func open(
        _ address: IPAddress, ports: ClosedRange<UInt16>?, random: any RandomSource
    ) throws(SocketError) -> (descriptor: CInt, address: TransportAddress) {
        let descriptor = DatagramSystemCalls.openDatagramSocket(isIPv6: address.isIPv6)
        guard descriptor >= 0 else { throw error(errno, address: address, ports: ports) }
        do {
            return (descriptor, try bind(descriptor, to: address, ports: ports, random: random))
        } catch {
            _ = close(descriptor)
            throw error
        }
    }

    /// Opens a listening TCP descriptor, bound in the same way.
    ///
    /// - Throws: ``SocketError``.
    static func openListener(
        _ address: IPAddress, ports: ClosedRange<UInt16>?, random: any RandomSource
    ) throws(SocketError) -> (descriptor: CInt, address: TransportAddress) {
        let descriptor = socket(address.isIPv6 ? AF_INET6 : AF_INET, addrinfo.streamSocketType, 0)
        guard descriptor >= 0 else { throw error(errno, "TCP", address: address, ports: ports) }
        do throws(SocketError) {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            let bound = try bind(descriptor, "TCP", to: address, ports: ports, random: random)
            guard listen(descriptor, 16) == 0 else { throw error(errno, "TCP", address: address, ports: ports) }
            return (descriptor, bound)
        } catch {
            _ = close(descriptor)
            throw error
        }
    }

    private static func bind(
        _ descriptor: CInt, _ kind: String = "UDP", to address: IPAddress, ports: ClosedRange<UInt16>?,
        random: any RandomSource
    ) throws(SocketError) -> TransportAddress {
        if address.isIPv6 { set(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
        if kind == "UDP" {
            set(descriptor, SOL_SOCKET, SO_RCVBUF, bufferSize)
            set(descriptor, SOL_SOCKET, SO_SNDBUF, bufferSize)
        }

        var order = PortOrder(ports ?? 0...0, random: random)
        while let port = order.next() {
            let candidate = TransportAddress(ip: address, port: port)
            if candidate.withSocketAddress({ DatagramSystemCalls.bind(descriptor, $0, $1) }) == 0 {
                guard let bound = TransportAddress.local(of: descriptor) else {
                    throw error(errno, kind, address: address, ports: ports)
                }
                return bound
            }
            // A port that is in use, or privileged, does not prevent use of the next one.
            guard errno == EADDRINUSE || errno == EACCES, ports != nil else {
                throw error(errno, kind, address: address, ports: ports)
            }
        }
        throw error(EADDRINUSE, kind, address: address, ports: ports)
    }

    private static func set(_ descriptor: CInt, _ level: CInt, _ name: CInt, _ value: CInt) {
        var value = value
        _ = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
    }

    private static func error(
        _ code: CInt, _ kind: String = "UDP", address: IPAddress, ports: ClosedRange<UInt16>?
    ) -> SocketError {
        switch code {
        case EADDRINUSE:
            if let ports {
                return SocketError(
                    .portsExhausted, errorNumber: code,
                    "No \(kind) port of \(ports.lowerBound)-\(ports.upperBound) is free on \(address). Widen the range."
                )
            }
            return SocketError(.portsExhausted, errorNumber: code, "No \(kind) port is free on \(address).")
        case EADDRNOTAVAIL, EAFNOSUPPORT:
            return SocketError(
                .addressNotAvailable, errorNumber: code,
                "\(address) is not an address of this machine. Bind to one that its interfaces have.")
        case EACCES, EPERM:
            return SocketError(
                .notPermitted, errorNumber: code,
                "The system does not permit a \(kind) socket on \(address). Use ports from 1024 upwards.")
        case EMFILE, ENFILE:
            return SocketError(
                .tooManyDescriptors, errorNumber: code,
                "Too many open files. Raise the limit (ulimit -n) or close connections.")
        default:
            return SocketError(
                .system, errorNumber: code,
                "A \(kind) socket on \(address) could not be opened: \(String(cString: strerror(code))).")
        }
    }
}

/// Iterates over the ports of a range, each once, in a random order, without a list of them.
struct PortOrder {
    private let first: UInt32
    private let count: UInt32
    private let step: UInt32
    private var offset: UInt32
    private var left: UInt32

    init(_ ports: ClosedRange<UInt16>, random: any RandomSource) {
        first = UInt32(ports.lowerBound)
        let count = UInt32(ports.count)
        self.count = count
        left = count
        offset = UInt32(random.next(below: UInt64(count)))
        // A step coprime to the count visits every port before it returns to the first.
        var step = UInt32(random.next(below: UInt64(count))) + 1
        while Self.greatestCommonDivisor(step, count) != 1 { step = step % count + 1 }
        self.step = step
    }

    mutating func next() -> UInt16? {
        guard left > 0 else { return nil }
        left -= 1
        defer { offset = (offset + step) % count }
        return UInt16(first + offset)
    }

    private static func greatestCommonDivisor(_ a: UInt32, _ b: UInt32) -> UInt32 {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }
}

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif
