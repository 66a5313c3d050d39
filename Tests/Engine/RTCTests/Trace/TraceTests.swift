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
        var text = TraceText(at: .zero + .seconds(5), timeOfDay: 1_700_000_000_123, chapter: 7)
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
                "# duet trace 1 1700000000123 7", "s 100 10 9000 8 7500 1 700 20000 500000 450000 12 48 125 3 1",
                "s 200 1 100 0 0 -1 700 20000 500000 450000 12 0 125 3 2",
            ])
    }

    @Test("Losses and reordering have a line of their own, where there are any")
    func losses() {
        var text = TraceText(at: .zero, timeOfDay: 0, chapter: 0)
        var now = CongestionSnapshot()
        for tenth in 1...3 {
            now.packetsSent += 10
            if tenth == 2 {
                (now.packetsLost, now.lossRuns) = (5, 2)
                (now.packetsReordered, now.reorderingDelay) = (3, .milliseconds(90))
            }
            text.sample(now, at: .zero + .milliseconds(Int64(tenth) * 100))
        }
        let written = lines(&text)
        #expect(written.dropFirst().map { String($0.prefix(5)) } == ["s 100", "s 200", "d 200", "s 300"])
        #expect(written.contains("d 200 2 3 90"))
        now.lossRuns = 1
        text.sample(now, at: .zero + .milliseconds(400))
        let later = lines(&text)
        #expect(later.last == "d 400 -1 0 0")
    }

    @Test("Where nothing happens there is a line a second, and none for a stream")
    func quiet() {
        var text = TraceText(at: .zero, timeOfDay: 0, chapter: 0)
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
        var text = TraceText(at: .zero, timeOfDay: 0, chapter: 0)
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

    @Test("A stream that has ended is forgotten")
    func endedStreams() {
        var text = TraceText(at: .zero, timeOfDay: 0, chapter: 0)
        let stream = TraceText.Stream(isVideo: false, isSent: true, counts: [5])
        for kept in [[1, 2], [2], [1, 2]] {
            for number in kept { text.stream(stream, number: number, at: .zero) }
            text.keepStreams(kept)
        }
        #expect(lines(&text).dropFirst() == ["a 0 1 5", "a 0 2 5", "a 0 1 5"])
    }

    @Test("The lines that are handed over are whole, each time, and say whose they are")
    func whole() {
        var text = TraceText(at: .zero, timeOfDay: 0, chapter: 0)
        var all: [UInt8] = []
        for second in 0..<10 {
            text.pathChanged(at: .zero + .seconds(Int64(second)))
            let taken = text.take()
            #expect(taken.last == UInt8(ascii: "\n") && taken.starts(with: Array("# duet trace 1 0 0\np ".utf8)))
            all += taken
        }
        #expect(String(decoding: all, as: UTF8.self).split(separator: "\n").count == 20)
        #expect(text.take().isEmpty)
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

    @Test("Connections with one file keep within its bound, in whole lines, and none loses the newest")
    func shared() throws {
        let path = temporaryPath()
        defer { for name in [path, path + ".1"] { try? FileManager.default.removeItem(atPath: name) } }
        let files = try (0..<2).map { _ in try TraceFile.open(path, limit: 65_536) }
        let filler = String(repeating: "x", count: 90)
        for number in 0..<2_000 {
            #expect(files[number % 2].append(Array("\(number) \(filler)\n".utf8)))
            // Each has a queue of its own: without this, all of one may be written after all of the other.
            if number % 20 == 19 { for file in files { file.flush() } }
        }
        let text =
            try String(contentsOfFile: path + ".1", encoding: .utf8) + String(contentsOfFile: path, encoding: .utf8)
        #expect(text.utf8.count <= 65_536)
        let words = text.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(words.allSatisfy { $0.count == 2 && $0[1] == filler })
        for rest in 0..<2 {
            let numbers = words.compactMap { Int($0[0]) }.filter { $0 % 2 == rest }
            #expect(numbers == Array(stride(from: numbers.first ?? 0, to: 2_000, by: 2)))
        }
        #expect(words.count > 300)
    }

    @Test("A file that somebody has moved or removed is begun anew")
    func removed() throws {
        let path = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try TraceFile.open(path)
        for line in ["one\n", "two\n"] {
            try FileManager.default.removeItem(atPath: path)
            #expect(file.append(Array(line.utf8)))
            file.flush()
            #expect(try String(contentsOfFile: path, encoding: .utf8) == line)
        }
    }

    @Test("Where the file cannot be put aside, only the newest part is kept")
    func noSecondFile() throws {
        let path = temporaryPath()
        defer { for name in [path, path + ".1"] { try? FileManager.default.removeItem(atPath: name) } }
        try FileManager.default.createDirectory(atPath: path + ".1/folder", withIntermediateDirectories: true)
        let file = try TraceFile.open(path, limit: 2_000)
        for number in 100..<600 { #expect(file.append(Array("line \(number)\n".utf8))) }
        file.flush()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.utf8.count <= 1_000 && text.hasSuffix("line 599\n"))
    }

    @Test(
        "Files that are there become their owner's alone; links, pipes and others' files are refused, and left as they are"
    )
    func otherFiles() throws {
        let path = temporaryPath()
        let target = path + ".target"
        defer { for name in [path, target] { try? FileManager.default.removeItem(atPath: name) } }
        func refuses() {
            #expect(throws: RTCError.self) { try TraceFile.open(path) }
            #expect(throws: RTCError.self) { try PacketDump.open(path) }
        }
        try "before".write(toFile: target, atomically: false, encoding: .utf8)
        chmod(target, 0o644)
        #expect(symlink(target, path) == 0)
        refuses()
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "before")
        let attributes = try FileManager.default.attributesOfItem(atPath: target)
        #expect(attributes[.posixPermissions] as? Int == 0o644)
        unlink(path)
        // Nobody reads it, and then somebody does.
        #expect(mkfifo(path, 0o600) == 0)
        refuses()
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        refuses()
        close(reader)
        unlink(path)
        if geteuid() == 0 {
            #expect(link(target, path) == 0 && chown(target, 12_345, 12_345) == 0)
            refuses()
            chown(target, 0, 0)
            unlink(path)
        }
        for dump in [false, true] {
            chmod(target, 0o644)
            if dump { try PacketDump.open(target).close() } else { _ = try TraceFile.open(target) }
            let attributes = try FileManager.default.attributesOfItem(atPath: target)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
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
        let file = TraceFile(path, descriptor: open(path, O_WRONLY))
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
