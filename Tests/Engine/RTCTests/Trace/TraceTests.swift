import Foundation
import RTCMedia
import RTCPeer
import RTCWire
import Testing

@testable import RTC

@Suite("Traces")
struct TraceTests {
    private func lines(_ text: inout TraceText) -> [String] {
        String(decoding: text.take(), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("A line tells what has happened since the one before, and what holds")
    func sample() {
        var text = TraceText(at: .zero + .seconds(5), timeOfDay: 1_700_000_000_123)
        var now = CongestionSnapshot()
        (now.packetsSent, now.bytesSent, now.packetsAcknowledged, now.bytesAcknowledged) = (10, 9_000, 8, 7_500)
        (now.packetsLost, now.bytesInFlight, now.window) = (1, 700, 20_000)
        now.target = .kilobits(500)
        now.acknowledgedBitrate = .kilobits(450)
        (now.standingQueue, now.roundTripTime, now.queueTime) = (.milliseconds(12), .milliseconds(48), .milliseconds(3))
        (now.loss, now.isNearCapacity) = (0.125, true)
        text.sample(now, at: .zero + .milliseconds(5_100))
        (now.packetsSent, now.bytesSent, now.packetsLost) = (11, 9_100, 0)
        (now.roundTripTime, now.isNearCapacity, now.isCompeting) = (nil, false, true)
        text.sample(now, at: .zero + .milliseconds(5_200))
        #expect(
            lines(&text) == [
                "# duet trace 1 1700000000123", "s 100 10 9000 8 7500 1 700 20000 500000 450000 12 48 125 3 1",
                "s 200 1 100 0 0 -1 700 20000 500000 450000 12 0 125 3 2",
            ])
    }

    @Test("Where nothing happens there is a line a second, and none for a stream")
    func quiet() {
        var text = TraceText(at: .zero, timeOfDay: 0)
        let stream = TraceText.Stream(isVideo: true, isSent: true, counts: [1, 2], values: [3])
        for tenth in 1...50 {
            let now = Instant.zero + .milliseconds(Int64(tenth) * 100)
            text.sample(CongestionSnapshot(), at: now)
            text.stream(stream, number: 4, at: now)
        }
        let all = lines(&text)
        #expect(all.filter { $0.hasPrefix("s ") }.count == 5)
        #expect(all.filter { $0.hasPrefix("v ") } == ["v 100 4 1 2 3"])
    }

    @Test("Streams by their kind and direction; what has grown since, and what is")
    func streams() {
        var text = TraceText(at: .zero, timeOfDay: 0)
        for (index, kind) in [(true, true), (false, true), (true, false), (false, false)].enumerated() {
            var stream = TraceText.Stream(isVideo: kind.0, isSent: kind.1, counts: [5], values: [640])
            text.stream(stream, number: index, at: .zero)
            stream.counts = [7]
            stream.values = [320]
            text.stream(stream, number: index, at: .zero + .seconds(1))
        }
        text.pathChanged(at: .zero + .seconds(2))
        text.leftOut(99, at: .zero + .seconds(3))
        #expect(
            lines(&text).dropFirst() == [
                "v 0 0 5 640", "v 1000 0 2 320", "a 0 1 5 640", "a 1000 1 2 320", "V 0 2 5 640", "V 1000 2 2 320",
                "A 0 3 5 640", "A 1000 3 2 320", "p 2000", "x 3000 99",
            ])
    }

    @Test("The lines that are handed over are whole, each time")
    func whole() {
        var text = TraceText(at: .zero, timeOfDay: 0)
        var all: [UInt8] = []
        for second in 0..<10 {
            text.pathChanged(at: .zero + .seconds(Int64(second)))
            let taken = text.take()
            #expect(taken.last == UInt8(ascii: "\n"))
            all += taken
        }
        #expect(String(decoding: all, as: UTF8.self).split(separator: "\n").count == 11)
    }

    // MARK: The file

    private func temporaryPath() -> String {
        FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID().uuidString)").path
    }

    @Test("A file is appended to, is its owner's alone, and takes no more of the disk than it may")
    func file() throws {
        let path = temporaryPath()
        defer { for name in [path, path + ".1"] { try? FileManager.default.removeItem(atPath: name) } }
        var file = try TraceFile.open(path, limit: 2_000)
        #expect(file.append(Array("first\n".utf8)))
        file.flush()
        file = try TraceFile.open(path, limit: 2_000)
        #expect(file.append(Array("second\n".utf8)))
        file.flush()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "first\nsecond\n")
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        for number in 100..<600 { #expect(file.append(Array("line \(number)\n".utf8))) }
        file.flush()
        let (before, now) = (
            try String(contentsOfFile: path + ".1", encoding: .utf8), try String(contentsOfFile: path, encoding: .utf8)
        )
        #expect(before.utf8.count + now.utf8.count <= 2_000)
        // The newest, without a gap, in whole lines.
        let numbers = (before + now).split(separator: "\n").compactMap { Int($0.dropFirst(5)) }
        #expect(numbers == Array((600 - numbers.count)..<600))
        #expect(numbers.count > 100)
    }

    @Test("What the disk has no time for is left out, and nobody waits")
    func slowDisk() throws {
        let path = temporaryPath()
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        // As SwiftNIO has it from its first event loop on.
        signal(SIGPIPE, SIG_IGN)
        // Nobody reads: a pipe takes some, and then the queue hangs.
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        let file = try TraceFile.open(path)
        let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
        let begin = ContinuousClock.now
        var taken = 0
        for _ in 0..<100 where file.append(chunk) { taken += 1 }
        #expect(begin.duration(to: .now) < .seconds(2))
        #expect((1...11).contains(taken))
        close(reader)
    }

    @Test("A trace that cannot be written is an error that names it")
    func unwritable() {
        #expect(throws: RTCError.self) { try TraceFile.open("/nowhere/trace") }
        var configuration = PeerConnection.Configuration()
        configuration.tracePath = "/nowhere/trace"
        #expect(throws: RTCError.self) { try PeerConnection(configuration: configuration) }
    }
}
