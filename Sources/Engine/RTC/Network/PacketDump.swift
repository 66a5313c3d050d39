internal import NIOCore
internal import NIOPosix
internal import RTCCrypto
internal import RTCWire

/// Writes packets to a file for Wireshark and tcpdump (libpcap format, link type RAW).
///
/// A peer's packets are encrypted on the network. The file contains them unencrypted, each with a synthetic IP header:
/// SCTP as the IP protocol that it is too, STUN and DTLS handshakes as UDP. Records are buffered and written ten times
/// a second, and when the dump is closed. A full disk ends only the dump.
///
/// Used on one event loop.
final class PacketDump {
    /// The protocol of a packet in the dump.
    enum Carrier: UInt8 {
        case udp = 17
        case sctp = 132
    }

    /// The local addresses of the sockets that packets pass through, for the IP header.
    var localAddresses: [SocketID: TransportAddress] = [:]

    private var descriptor: CInt
    private var buffer: [UInt8] = []
    private var flush: Scheduled<Void>?
    private var identification: UInt16 = 0
    /// The offset from the event loop's clock to the time since 1970, in nanoseconds.
    private let clockOffset: Int64

    private static let flushInterval = TimeAmount.milliseconds(100)
    /// The size in bytes at which the buffer is written.
    private static let bufferLimit = 256 * 1024

    /// Creates the file at `path`, or empties it.
    ///
    /// - Throws: `invalidArgument` if the file cannot be written.
    static func open(_ path: String) throws(RTCError) -> PacketDump {
        // Packets may contain private communication, so only the owner may read the file.
        let descriptor = try openPrivateFile(path, as: "dump file")
        _ = ftruncate(descriptor, 0)
        return PacketDump(descriptor)
    }

    private init(_ descriptor: CInt) {
        self.descriptor = descriptor
        clockOffset = SystemTime.nanoseconds - MediaClock.now.nanoseconds
        // The magic number for microseconds, version 2.4, no time zone or accuracy, unlimited packet length,
        // LINKTYPE_RAW.
        append(0xA1B2_C3D4 as UInt32)
        append(2 as UInt16)
        append(4 as UInt16)
        append(0 as UInt32)
        append(0 as UInt32)
        append(0x0004_0000 as UInt32)
        append(101 as UInt32)
    }

    /// Adds a packet. One that exceeds an IP packet is truncated, and marked so.
    ///
    /// - Parameters:
    ///   - payload: An SCTP packet, or the payload of a UDP datagram.
    ///   - now: On the event loop's clock.
    func write(
        _ payload: UnsafeRawBufferPointer, carrier: Carrier, from source: TransportAddress,
        to destination: TransportAddress,
        at now: Instant
    ) {
        guard descriptor >= 0 else { return }
        let isIPv4 = destination.ip.isIPv4
        let headers = (isIPv4 ? 20 : 40) + (carrier == .udp ? 8 : 0)
        let kept = min(payload.count, 65_535 - headers)
        let time = max(clockOffset &+ now.nanoseconds, 0)
        append(UInt32(truncatingIfNeeded: time / 1_000_000_000))
        append(UInt32(truncatingIfNeeded: time % 1_000_000_000 / 1_000))
        append(UInt32(headers + kept))
        append(UInt32(truncatingIfNeeded: headers + payload.count))

        // An unspecified address of the same family, if there is no local address.
        let sourceIP =
            source.ip.isIPv4 == isIPv4 ? source.ip : isIPv4 ? IPAddress(v4: 0) : IPAddress(v6High: 0, low: 0)
        let length = UInt16(headers + kept - (isIPv4 ? 20 : 40))
        if isIPv4 {
            appendIPv4Header(length: length + 20, carrier: carrier, from: sourceIP, to: destination.ip)
        } else {
            appendIPv6Header(length: length, carrier: carrier, from: sourceIP, to: destination.ip)
        }
        if carrier == .udp {
            let start = buffer.count
            buffer.append(bigEndian: source.port)
            buffer.append(bigEndian: destination.port)
            buffer.append(bigEndian: length)
            buffer.append(bigEndian: 0 as UInt16)
            buffer.append(contentsOf: payload[0..<kept])
            let checksum = udpChecksum(at: start, from: sourceIP, to: destination.ip)
            buffer[start + 6] = UInt8(checksum >> 8)
            buffer[start + 7] = UInt8(truncatingIfNeeded: checksum)
        } else {
            buffer.append(contentsOf: payload[0..<kept])
        }
        if buffer.count >= Self.bufferLimit {
            writeBuffer()
        } else if flush == nil {
            scheduleFlush()
        }
    }

    /// Writes the rest and closes the file.
    func close() {
        writeBuffer()
        flush?.cancel()
        flush = nil
        closeFile()
    }

    deinit { close() }
}

// MARK: - The file

extension PacketDump {
    private func scheduleFlush() {
        // Without an event loop there is no timer, so only the limit and the end trigger writes.
        guard let eventLoop = MultiThreadedEventLoopGroup.currentEventLoop else { return }
        flush = eventLoop.assumeIsolated().scheduleTask(in: Self.flushInterval) { [weak self] in
            self?.flush = nil
            self?.writeBuffer()
        }
    }

    private func writeBuffer() {
        guard descriptor >= 0 else { return }
        if !writeAll(buffer, to: descriptor) { closeFile() }
        buffer.removeAll(keepingCapacity: true)
    }

    private func closeFile() {
        guard descriptor >= 0 else { return }
        _ = closeDescriptor(descriptor)
        descriptor = -1
        buffer = []
    }

    /// Appends in native byte order, like the headers of libpcap.
    private func append<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number) { buffer.append(contentsOf: $0) }
    }
}

private func closeDescriptor(_ descriptor: CInt) -> CInt { close(descriptor) }

// MARK: - The headers

extension PacketDump {
    /// Appends an IPv4 header (RFC 791, section 3.1).
    private func appendIPv4Header(length: UInt16, carrier: Carrier, from source: IPAddress, to destination: IPAddress) {
        let start = buffer.count
        identification &+= 1
        buffer.append(0x45)
        buffer.append(0)
        buffer.append(bigEndian: length)
        buffer.append(bigEndian: identification)
        buffer.append(bigEndian: 0x4000 as UInt16)
        buffer.append(64)
        buffer.append(carrier.rawValue)
        buffer.append(bigEndian: 0 as UInt16)
        buffer.append(bigEndian: source.v4Bits ?? 0)
        buffer.append(bigEndian: destination.v4Bits ?? 0)
        let checksum = ~fold(sum(of: start..<start + 20))
        buffer[start + 10] = UInt8(checksum >> 8)
        buffer[start + 11] = UInt8(truncatingIfNeeded: checksum)
    }

    /// Appends an IPv6 header (RFC 8200, section 3).
    private func appendIPv6Header(length: UInt16, carrier: Carrier, from source: IPAddress, to destination: IPAddress) {
        buffer.append(bigEndian: 0x6000_0000 as UInt32)
        buffer.append(bigEndian: length)
        buffer.append(carrier.rawValue)
        buffer.append(64)
        for ip in [source, destination] {
            buffer.append(bigEndian: ip.v6Halves?.high ?? 0)
            buffer.append(bigEndian: ip.v6Halves?.low ?? 0)
        }
    }

    /// The UDP checksum (RFC 768), with the pseudo-header of RFC 791 or RFC 8200, section 8.1.
    private func udpChecksum(at start: Int, from source: IPAddress, to destination: IPAddress) -> UInt16 {
        var total = sum(of: start..<buffer.count) &+ UInt64(Carrier.udp.rawValue) &+ UInt64(buffer.count - start)
        for ip in [source, destination] {
            let halves = ip.v6Halves ?? (0, UInt64(ip.v4Bits ?? 0))
            for word in [halves.high, halves.low] {
                total &+= word >> 48 &+ word >> 32 & 0xFFFF &+ word >> 16 & 0xFFFF &+ word & 0xFFFF
            }
        }
        let checksum = ~fold(total)
        return checksum == 0 ? 0xFFFF : checksum
    }

    private func sum(of range: Range<Int>) -> UInt64 {
        var total: UInt64 = 0
        var index = range.lowerBound
        while index + 1 < range.upperBound {
            total &+= UInt64(buffer[index]) << 8 | UInt64(buffer[index + 1])
            index += 2
        }
        if index < range.upperBound { total &+= UInt64(buffer[index]) << 8 }
        return total
    }

    private func fold(_ total: UInt64) -> UInt16 {
        var total = total
        while total > 0xFFFF { total = total & 0xFFFF &+ total >> 16 }
        return UInt16(total)
    }
}

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif
