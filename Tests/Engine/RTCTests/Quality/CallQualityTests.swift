import Foundation
import Testing

@testable import RTC

/// The calls of `Tests/Quality/calls.json`, which the call page's tests play as well.
@Suite("How good a call is")
struct CallQualityTests {
    @Test("What is said of a call, and when", arguments: JudgedCall.all)
    func calls(call: JudgedCall) {
        var meter = CallQualityMeter()
        var told: [(Int, CallQuality)] = []
        for (second, each) in call.seconds.enumerated() {
            if let quality = meter.update(each.reading, hasNetwork: each.hasNetwork, at: Double(second)) {
                told.append((second, quality))
                #expect(meter.quality == quality)
            }
        }
        #expect(told.map(\.0) == call.expected.map(\.0), "\(told)")
        #expect(told.map(\.1) == call.expected.map(\.1), "\(told)")
    }

    @Test("Each reason and each level is among the calls")
    func complete() {
        #expect(JudgedCall.all.count > 20)
        let told = JudgedCall.all.flatMap { $0.expected.map(\.1) }
        #expect(Set(told.map(\.level)) == Set(CallQuality.Level.allCases))
        #expect(Set(told.compactMap(\.reason)) == Set(CallQuality.Reason.allCases))
    }

    @Test("Reports that come faster than twice a second are passed over, and counts that go back begin anew")
    func pace() {
        let seconds = JudgedCall.all[0].seconds
        var meter = CallQualityMeter()
        for index in 0..<20 {
            #expect(meter.update(seconds[index].reading, hasNetwork: true, at: Double(index) / 100) == nil)
        }
        #expect(meter.quality == nil)
        for index in 0..<4 { _ = meter.update(seconds[index].reading, hasNetwork: true, at: Double(index + 1)) }
        #expect(meter.quality == CallQuality(level: .excellent))
        // Another connection's: three seconds of it say nothing that the first said.
        for index in 0..<4 { _ = meter.update(seconds[index].reading, hasNetwork: true, at: Double(index + 10)) }
        #expect(meter.quality == CallQuality(level: .excellent))
    }

    @Test("Nothing is said of a connection without media")
    func withoutMedia() {
        var meter = CallQualityMeter()
        for second in 0..<60 {
            let reading = QualityReading(datagramsReceived: second / 20, roundTripTime: 3)
            #expect(meter.update(reading, hasNetwork: true, at: Double(second)) == nil)
        }
    }

    @Test("Numbers that make no sense say something, and trap nowhere", arguments: 1...20)
    func nonsense(seed: UInt64) {
        var random = SplitMix(state: seed)
        var meter = CallQualityMeter()
        func number() -> Int { Int(truncatingIfNeeded: random.next()) / [1 << 33, 1 << 50, 1 << 60][random.index(3)] }
        func share() -> Double { [0, 1, -1, 1e300, .infinity, .nan, 0.5][random.index(7)] }
        for second in 0..<200 {
            var reading = QualityReading(datagramsReceived: number(), roundTripTime: share())
            var received = QualityReading.Received()
            (received.packets, received.lost, received.bytes) = (number(), number(), number())
            (received.frames, received.dropped, received.samples, received.concealed) = (
                number(), number(), number(), number()
            )
            (received.jitter, received.frozen, received.decodeTime) = (share(), share(), share())
            (received.width, received.height, received.emitted) = (number(), number(), number())
            if random.index(4) > 0 { reading.receivedVideo = received }
            if random.index(4) > 0 { reading.receivedAudio = received }
            var sent = QualityReading.Sent(loss: share(), isRepaired: random.index(2) == 0)
            (sent.width, sent.height, sent.sourceWidth, sent.keyFrameRequests) = (
                number(), number(), number(), number()
            )
            (sent.framesPerSecond, sent.sourceFramesPerSecond) = (share(), share())
            if random.index(4) > 0 { reading.sentVideo = sent }
            _ = meter.update(reading, hasNetwork: true, at: Double(second))
        }
    }
}

/// Made-up seconds of a call, and what is said of it.
struct JudgedCall: Sendable, CustomTestStringConvertible {
    var name: String
    /// Readings, one a second.
    var seconds: [(reading: QualityReading, hasNetwork: Bool)]
    /// The second, and what is said in it for the first time.
    var expected: [(Int, CallQuality)]
    var testDescription: String { name }

    static let all = (try? load()) ?? []

    private static func load() throws -> [JudgedCall] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appending(path: "Quality/calls.json"))
        let calls = try #require(JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        return try calls.map { call in
            let expected = try #require(call["quality"] as? [[Any]]).map { entry in
                let level = CallQuality.Level.allCases.first { "\($0)" == entry[1] as? String }
                let reason = entry.count > 2 ? CallQuality.Reason(rawValue: entry[2] as? String ?? "") : nil
                return (try #require(entry[0] as? Int), CallQuality(level: try #require(level), reason: reason))
            }
            let steps = try #require(call["steps"] as? [[String: Any]])
            return JudgedCall(name: call["name"] as? String ?? "", seconds: seconds(of: steps), expected: expected)
        }
    }

    /// Members of streams that grow by so much each second; the others are as they are.
    private static let growing: Set = [
        "packets", "lost", "bytes", "bufferDelay", "emitted", "samples", "concealed", "frames", "dropped", "frozen",
        "decodeTime", "keyFrameRequests",
    ]

    private static func seconds(of steps: [[String: Any]]) -> [(QualityReading, Bool)] {
        var (each, sums): ([String: Any], [String: [String: Double]]) = ([:], [:])
        var (datagrams, seconds): (Int, [(QualityReading, Bool)]) = (0, [])
        for step in steps {
            for (name, value) in step {
                let stream = (value as? [String: Any]).map { new in
                    (each[name] as? [String: Any] ?? [:]).merging(new) { $1 }
                }
                each[name] = stream ?? value
            }
            for _ in 0..<(step["seconds"] as? Int ?? 0) {
                datagrams += each["datagramsReceived"] as? Int ?? 0
                for (name, value) in each {
                    for (member, number) in value as? [String: Any] ?? [:] {
                        let number = (number as? NSNumber)?.doubleValue ?? 0
                        let before = growing.contains(member) ? sums[name]?[member] ?? 0 : 0
                        sums[name, default: [:]][member] = before + number
                    }
                }
                func stream(_ name: String) -> [String: Double]? { each[name] is [String: Any] ? sums[name] : nil }
                let reading = QualityReading(
                    datagramsReceived: datagrams, roundTripTime: (each["roundTripTime"] as? NSNumber)?.doubleValue,
                    receivedAudio: stream("receivedSound").map { .init(members: $0) },
                    receivedVideo: stream("receivedVideo").map { .init(members: $0) },
                    sentAudio: stream("sentSound").map { .init(members: $0) },
                    sentVideo: stream("sentVideo").map { .init(members: $0) })
                seconds.append((reading, each["hasNetwork"] as? Bool ?? true))
            }
        }
        return seconds
    }
}

extension QualityReading.Received {
    fileprivate init(members: [String: Double]) {
        func count(_ name: String) -> Int { Int(members[name] ?? 0) }
        self.init(
            packets: count("packets"), lost: count("lost"), bytes: count("bytes"), jitter: members["jitter"] ?? 0,
            bufferDelay: members["bufferDelay"] ?? 0, emitted: count("emitted"), samples: count("samples"),
            concealed: count("concealed"), frames: count("frames"), dropped: count("dropped"),
            frozen: members["frozen"] ?? 0, decodeTime: members["decodeTime"] ?? 0, width: count("width"),
            height: count("height"))
    }
}

extension QualityReading.Sent {
    fileprivate init(members: [String: Double]) {
        func count(_ name: String) -> Int { Int(members[name] ?? 0) }
        self.init(
            loss: members["loss"], isRepaired: members["isRepaired"] == 1, width: count("width"),
            height: count("height"), framesPerSecond: members["framesPerSecond"] ?? 0,
            sourceWidth: count("sourceWidth"), sourceHeight: count("sourceHeight"),
            sourceFramesPerSecond: members["sourceFramesPerSecond"] ?? 0,
            isLimitedByProcessor: members["isLimitedByProcessor"] == 1,
            isLimitedByNetwork: members["isLimitedByNetwork"] == 1, keyFrameRequests: count("keyFrameRequests"))
    }
}

private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func index(_ count: Int) -> Int { Int(next() % UInt64(count)) }
}
