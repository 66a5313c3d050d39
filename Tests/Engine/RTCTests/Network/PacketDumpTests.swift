import EventLoopTesting
import NIOCore
import RTCWire
import Testing

@testable import RTC

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("Packet dumps")
struct PacketDumpTests {
    private let local = TransportAddress("192.0.2.1:5000")
    private let remote = TransportAddress("198.51.100.7:6000")

    @Test("A dump reads back as libpcap's format, with the packets as IP packets")
    func readsBack() throws {
        let local = try #require(local)
        let remote = try #require(remote)
        let path = temporaryPath()
        defer { unlink(path) }
        let dump = try PacketDump.open(path)
        let payload: [UInt8] = [1, 2, 3, 4, 5]
        let now = Instant(nanoseconds: Int64(NIODeadline.now().uptimeNanoseconds))
        payload.withUnsafeBytes {
            dump.write($0, carrier: .udp, from: local, to: remote, at: now)
            dump.write($0, carrier: .sctp, from: remote, to: local, at: now)
        }
        dump.close()

        let file = readFile(path)
        let packets = try #require(parse(file))
        #expect(packets.count == 2)
        var wall = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        #expect(packets.allSatisfy { abs(Int($0.seconds) - wall.tv_sec) < 60 })

        let udp = packets[0].bytes
        #expect(udp.count == 20 + 8 + 5)
        #expect(udp[0] == 0x45)
        #expect(udp[9] == 17)
        #expect(Array(udp[12..<20]) == [192, 0, 2, 1, 198, 51, 100, 7])
        #expect(Array(udp[20..<26]) == [0x13, 0x88, 0x17, 0x70, 0, 13])
        #expect(Array(udp[28...]) == payload)
        #expect(onesComplementSum(udp[0..<20]) == 0xFFFF)
        let pseudoHeader: [UInt8] = Array(udp[12..<20]) + [0, 17, 0, 13]
        #expect(onesComplementSum((pseudoHeader + udp[20...])[...]) == 0xFFFF)

        let sctp = packets[1].bytes
        #expect(sctp[9] == 132)
        #expect(Int(sctp[2]) << 8 | Int(sctp[3]) == sctp.count)
        #expect(Array(sctp[20...]) == payload)
        #expect(onesComplementSum(sctp[0..<20]) == 0xFFFF)
    }

    @Test("IPv6 packets carry a UDP checksum, without which they would be invalid")
    func version6() throws {
        let source = try #require(TransportAddress("[2001:db8::1]:5000"))
        let destination = try #require(TransportAddress("[2001:db8::2]:6000"))
        let path = temporaryPath()
        defer { unlink(path) }
        let dump = try PacketDump.open(path)
        [UInt8](1...7).withUnsafeBytes { dump.write($0, carrier: .udp, from: source, to: destination, at: .zero) }
        dump.close()
        let bytes = try #require(parse(readFile(path))?.first?.bytes)
        #expect(bytes.count == 40 + 8 + 7)
        #expect(bytes[0] == 0x60)
        #expect(Int(bytes[4]) << 8 | Int(bytes[5]) == 15)
        #expect(bytes[6] == 17)
        let pseudoHeader: [UInt8] = Array(bytes[8..<40]) + [0, 0, 0, 15, 0, 0, 0, 17]
        #expect(onesComplementSum((pseudoHeader + bytes[40...])[...]) == 0xFFFF)
    }

    @Test("A packet that is too long for IP is cut and says so")
    func longPacket() throws {
        let local = try #require(local)
        let path = temporaryPath()
        defer { unlink(path) }
        let dump = try PacketDump.open(path)
        [UInt8](repeating: 1, count: 70_000).withUnsafeBytes {
            dump.write($0, carrier: .sctp, from: local, to: local, at: .zero)
        }
        dump.close()
        let packet = try #require(parse(readFile(path))?.first)
        #expect(packet.bytes.count == 65_535)
        #expect(packet.originalLength == 70_020)
    }

    @Test("Packets reach the file within moments, without a close")
    func flushes() async throws {
        let path = temporaryPath()
        defer { unlink(path) }
        let local = try #require(local)
        try await onEventLoop { _, _ in
            let dump = try PacketDump.open(path)
            [UInt8](1...7).withUnsafeBytes { dump.write($0, carrier: .udp, from: local, to: local, at: .zero) }
            try await Task.sleep(for: .milliseconds(400))
            #expect(parse(readFile(path))?.count == 1)
            dump.close()
        }
    }

    @Test("A file that cannot be written is an error that names it")
    func unwritableFile() {
        #expect {
            _ = try PacketDump.open("/no/such/folder/dump.pcap")
        } throws: { error in
            (error as? RTCError)?.code == .invalidArgument
                && (error as? RTCError)?.message.contains("/no/such/folder/dump.pcap") == true
        }
    }
}

private struct DumpedPacket {
    var seconds: UInt32
    var originalLength: Int
    var bytes: [UInt8]
}

/// Reads libpcap's format; `nil` if it is malformed.
private func parse(_ file: [UInt8]) -> [DumpedPacket]? {
    func number(_ offset: Int) -> UInt32 {
        file.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }
    guard file.count >= 24, number(0) == 0xA1B2_C3D4, number(20) == 101 else { return nil }
    var packets: [DumpedPacket] = []
    var offset = 24
    while offset < file.count {
        guard offset + 16 <= file.count else { return nil }
        let length = Int(number(offset + 8))
        guard offset + 16 + length <= file.count else { return nil }
        packets.append(
            DumpedPacket(
                seconds: number(offset), originalLength: Int(number(offset + 12)),
                bytes: Array(file[offset + 16..<offset + 16 + length])))
        offset += 16 + length
    }
    return packets
}

private func onesComplementSum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var total: UInt32 = 0
    for (index, byte) in bytes.enumerated() { total += index % 2 == 0 ? UInt32(byte) << 8 : UInt32(byte) }
    while total > 0xFFFF { total = total & 0xFFFF + total >> 16 }
    return total
}

private func temporaryPath() -> String {
    "/tmp/duet-dump-\(getpid())-\(UInt64.random(in: 0 ... .max)).pcap"
}

private func readFile(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[0..<count] }
    return bytes
}
