import RTCCodecs
import RTCFrames
import RTCMedia
import RTCWire
import Testing

@testable import RTC

@Suite("Size and frame rate follow the bitrate down a ladder and up again")
struct VideoLadderTests {
    /// A sender's adaptation, asked for each frame of a source in virtual time.
    private struct Sender {
        var adaptation = VideoAdaptation()
        let preference: DegradationPreference
        let ladder: VideoLadder
        var (width, height, framerate) = (1_280, 720, 30.0)
        var now = Instant.zero
        /// How often the step changed.
        var changes = 0

        init(_ preference: DegradationPreference) {
            self.preference = preference
            ladder = VideoLadder(preference)
        }

        var last: Int { ladder.last(width: width, height: height, framerate: framerate) }
        var isWhole: Bool { adaptation.scale == 1 && adaptation.rateDivisor == 1 }

        func least(_ step: Int) -> Double {
            ladder.least(step, width: width, height: height, framerate: framerate)
        }

        /// - Parameter fullTime: How long a frame of the whole size takes to encode, in seconds; `nil` for no load.
        mutating func run(seconds: Double, bits: Double, fullTime: Double? = nil) {
            let end = now + .nanoseconds(Int64(seconds * 1e9))
            while now < end {
                let before = adaptation.step
                adaptation.update(
                    width: width, height: height, framerate: framerate, bitrate: Bitrate(bitsPerSecond: Int64(bits)),
                    preference: preference, at: now)
                let interval = TimeDelta.nanoseconds(Int64(1e9 * adaptation.rateDivisor / framerate))
                if let fullTime {
                    let time = fullTime / (adaptation.scale * adaptation.scale)
                    adaptation.noteEncoding(time: .nanoseconds(Int64(time * 1e9)), interval: interval, at: now)
                }
                if adaptation.step != before { changes += 1 }
                now = now + interval
            }
        }
    }

    private static let adapting: [DegradationPreference] = [.balanced, .maintainFramerate, .maintainResolution]

    @Test("It goes down where the next step was measured to look better, and not before", arguments: adapting)
    func down(preference: DegradationPreference) {
        var sender = Sender(preference)
        for step in 0..<sender.last {
            sender.run(seconds: 10, bits: sender.least(step) * 1.01)
            #expect(sender.adaptation.step == step)
            sender.run(seconds: 0.8, bits: sender.least(step) * 0.99)
            #expect(sender.adaptation.step == step, "for a second, too little is no reason")
            sender.run(seconds: 0.5, bits: sender.least(step) * 0.99)
            #expect(sender.adaptation.step == step + 1)
        }
        sender.run(seconds: 10, bits: 1)
        #expect(sender.adaptation.step == sender.last)
    }

    @Test("It goes up only with half as much again, after four seconds, one step after the other", arguments: adapting)
    func up(preference: DegradationPreference) {
        var sender = Sender(preference)
        sender.run(seconds: 3, bits: 1)
        #expect(sender.adaptation.step == sender.last)
        for step in (0..<sender.last).reversed() {
            sender.run(seconds: 20, bits: sender.least(step) * 1.45)
            #expect(sender.adaptation.step == step + 1, "what just suffices is not enough to go up")
            sender.run(seconds: 3.5, bits: sender.least(step) * 1.55)
            #expect(sender.adaptation.step == step + 1)
            sender.run(seconds: 1, bits: sender.least(step) * 1.55)
            #expect(sender.adaptation.step == step)
        }
        #expect(sender.isWhole)
    }

    @Test("Each step is cheaper than the one before, and leaves room before the next", arguments: adapting)
    func order(preference: DegradationPreference) {
        for (width, height) in [(320, 180), (640, 360), (1_280, 720), (1_920, 1_080)] {
            var sender = Sender(preference)
            (sender.width, sender.height) = (width, height)
            for step in 0..<sender.last {
                #expect(sender.ladder.steps[step + 1].share < sender.ladder.steps[step].share)
                #expect(sender.least(step + 1) < sender.least(step))
            }
        }
    }

    @Test("A source keeps its size, and gets fewer frames, but never fewer than five a second")
    func resolution() {
        var sender = Sender(.maintainResolution)
        var rates: Set<Double> = []
        for bits in stride(from: sender.least(0) * 2, to: 1, by: -sender.least(0) / 20) {
            sender.run(seconds: 2, bits: bits)
            rates.insert(sender.framerate / sender.adaptation.rateDivisor)
            #expect(sender.adaptation.scale == 1)
        }
        #expect(rates.count >= 3 && rates.min() ?? 0 >= 5 && rates.max() == 30, "\(rates)")
        sender.framerate = 8
        sender.run(seconds: 2, bits: 1)
        #expect(8 / sender.adaptation.rateDivisor >= 5)
    }

    @Test("Motion keeps its frame rate, and nothing keeps both unless it is told to")
    func motion() {
        var sender = Sender(.maintainFramerate)
        sender.run(seconds: 5, bits: 1)
        #expect(sender.adaptation.rateDivisor == 1 && sender.adaptation.scale > 3)
        var rigid = Sender(.maintainFramerateAndResolution)
        rigid.run(seconds: 20, bits: 1, fullTime: 1)
        #expect(rigid.isWhole && !rigid.adaptation.isLimitedByProcessor)
    }

    @Test("A slow processor takes the same steps, down and up again", arguments: adapting)
    func processor(preference: DegradationPreference) {
        var sender = Sender(preference)
        func place() -> [Double] { [sender.adaptation.scale, sender.adaptation.rateDivisor] }
        let steps = sender.ladder.steps.prefix(sender.last + 1).map { [$0.scale, $0.rateDivisor] }
        var seen = [place()]
        func follow(_ seconds: Int, fullTime: Double) {
            for _ in 0..<seconds * 4 {
                sender.run(seconds: 0.25, bits: 1e9, fullTime: fullTime)
                if place() != seen.last { seen.append(place()) }
            }
        }
        follow(60, fullTime: 10)
        #expect(seen == steps)
        #expect(sender.adaptation.isLimitedByProcessor && sender.adaptation.rateStep == 0)
        seen = [place()]
        follow(120, fullTime: 0.001)
        #expect(seen == steps.reversed())
    }

    /// Sends at a constant bitrate to which the encoder can only keep from a step on; above it, two of three frames are dropped.
    private func send(_ sender: inout Sender, seconds: Double, bits: Double, possibleFrom step: Int) {
        var number = 0
        let end = sender.now + .nanoseconds(Int64(seconds * 1e9))
        while sender.now < end {
            number += 1
            let isPossible = sender.adaptation.step >= step
            if isPossible || number % 3 == 0 {
                sender.adaptation.noteFrame(isEncoded: true, dropped: isPossible ? 0 : 2, at: sender.now)
                sender.run(seconds: 0.02, bits: bits)
            } else {
                sender.now = sender.now + .nanoseconds(33_333_333)
            }
        }
    }

    @Test(
        "Where the encoder must drop frames, the size goes down, and comes back when there is more",
        arguments: [1, 2, 3])
    func drops(step: Int) {
        var sender = Sender(.balanced)
        let bits = sender.least(0) * 2
        send(&sender, seconds: 2, bits: bits, possibleFrom: step)
        #expect(sender.adaptation.step == 0, "two seconds are no proof")
        send(&sender, seconds: 15, bits: bits, possibleFrom: step)
        #expect(sender.adaptation.step == step)
        sender.changes = 0
        send(&sender, seconds: 40, bits: bits, possibleFrom: step)
        #expect(sender.changes == 0)
        // A calmer film is tried after a minute, and twice the bitrate at once.
        var calmer = sender
        send(&calmer, seconds: 100, bits: bits, possibleFrom: 0)
        #expect(calmer.adaptation.step < step)
        send(&sender, seconds: 30, bits: bits * 2, possibleFrom: 0)
        #expect(sender.adaptation.step == 0)
    }

    @Test("A film that stays too lively is tried in a larger size less than once a minute")
    func noOscillation() {
        var sender = Sender(.balanced)
        let bits = sender.least(0) * 2
        send(&sender, seconds: 30, bits: bits, possibleFrom: 2)
        sender.changes = 0
        send(&sender, seconds: 600, bits: bits, possibleFrom: 2)
        #expect(sender.changes <= 20, "\(sender.changes)")
        #expect(sender.adaptation.step >= 1)
    }

    @Test("A stall of the network is no reason, and text keeps its size whatever is dropped")
    func stall() {
        var sender = Sender(.balanced)
        let bits = sender.least(0) * 2
        send(&sender, seconds: 10, bits: bits, possibleFrom: 0)
        sender.now = sender.now + .seconds(5)
        sender.adaptation.noteFrame(isEncoded: true, dropped: 150, at: sender.now)
        send(&sender, seconds: 10, bits: bits, possibleFrom: 0)
        #expect(sender.changes == 0 && sender.isWhole)
        var text = Sender(.maintainResolution)
        send(&text, seconds: 30, bits: text.least(0) * 2, possibleFrom: 9)
        #expect(text.isWhole)
    }

    @Test("A real encoder that cannot make noise small enough gets smaller frames", arguments: ["VP8", "VP9", "H264"])
    func noise(name: String) throws {
        let codec = try #require(CodecCatalog.system.codecs(of: .video).first { $0.name == name })
        var dice = Dice(state: 7)
        let noise = (0..<4).map { _ in
            I420Buffer(width: 640, height: 360) { planes in
                for y in 0..<360 { for x in 0..<640 { planes.y.row(y)[x] = UInt8(dice.next() * 255) } }
            }
        }
        var encoding = VideoEncoding()
        // 0.04 bits for each pixel, which suffices for a face.
        let (rate, interval) = (276_000.0, 1.0 / 30)
        var (queue, dropped, width) = (0.0, 0, 640)
        for number in 0..<300 {
            queue = max(0, queue - rate * 1.15 * interval)
            let left = TimeDelta.nanoseconds(Int64(queue / (rate * 1.15) * 1e9))
            guard left <= EncoderRateControl.longestQueue else {
                dropped += 1
                continue
            }
            let now = Instant.zero + .nanoseconds(Int64(Double(number) * interval * 1e9))
            let outcome = try encoding.encode(
                VideoFrame(buffer: noise[number % 4], timestamp: now), codec: codec, parameters: RTPSendParameters(),
                target: Bitrate(bitsPerSecond: Int64(rate)), dropped: dropped, queue: left, framesPerSecond: 30,
                keyFrame: number == 0, at: now)
            dropped = 0
            queue += Double(outcome.frame?.data.count ?? 0) * 8
            if let frame = outcome.frame { width = frame.width }
        }
        #expect(width < 640, "\(name)")
    }

    @Test("Another preference begins anew, and takes at once the step that the bitrate suits")
    func change() {
        var adaptation = VideoAdaptation()
        func update(_ preference: DegradationPreference, at time: Int64) {
            adaptation.update(
                width: 1_280, height: 720, framerate: 30, bitrate: .kilobits(150), preference: preference,
                isKeyFrame: time == 0, at: .zero + .milliseconds(time))
        }
        update(.maintainFramerate, at: 0)
        #expect(adaptation.scale > 1 && adaptation.rateDivisor == 1)
        update(.maintainResolution, at: 33)
        #expect(adaptation.scale == 1 && adaptation.rateDivisor > 1)
        update(.maintainFramerateAndResolution, at: 66)
        #expect(adaptation.step == 0)
    }

    /// Numbers that look random, the same for the same seed.
    private struct Dice {
        var state: UInt64

        /// 0 to 1.
        mutating func next() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) / Double(1 << 53)
        }
    }

    @Test("An estimate that trembles by a fifth changes nothing, once a step is found", arguments: 1...20)
    func trembling(seed: UInt64) {
        var dice = Dice(state: seed)
        for preference in Self.adapting {
            var sender = Sender(preference)
            let mean = sender.least(0) * (0.03 + 1.5 * dice.next())
            sender.run(seconds: 10, bits: mean)
            sender.changes = 0
            for _ in 0..<1_200 { sender.run(seconds: 0.5, bits: mean * (0.8 + 0.4 * dice.next())) }
            // At most one step down for the lowest of the values, and that one stays.
            #expect(sender.changes <= 1, "\(preference), \(mean)")
        }
    }

    @Test("A bitrate that rises and falls without end is followed more and more rarely upwards", arguments: 1...10)
    func waves(seed: UInt64) {
        var dice = Dice(state: seed)
        for preference in Self.adapting {
            var sender = Sender(preference)
            var changes = [0, 0]
            for wave in 0..<120 {
                sender.changes = 0
                let (high, low) = (5 + 2 * dice.next(), 2 + 2 * dice.next())
                sender.run(seconds: high, bits: sender.least(0) * 1.6)
                sender.run(seconds: low, bits: sender.least(0) * 0.9)
                changes[wave / 60] += sender.changes
            }
            // 120 changes are two for each wave.
            #expect(changes[1] <= 60 && changes[1] <= changes[0], "\(preference), \(changes)")
        }
    }

    @Test(
        "With any bitrates, a step that is far too much is left at once, and the steps stay those of the ladder",
        arguments: 1...20)
    func anything(seed: UInt64) {
        var dice = Dice(state: seed)
        for preference in Self.adapting {
            var sender = Sender(preference)
            for _ in 0..<300 {
                if dice.next() < 0.05 {
                    (sender.width, sender.height) = dice.next() < 0.5 ? (640, 360) : (1_920, 1_080)
                }
                if dice.next() < 0.05 { sender.framerate = 5 + 55 * dice.next() }
                let bits = sender.least(0) * 3 * dice.next() * dice.next() * dice.next()
                sender.run(seconds: 0.1 + 3 * dice.next(), bits: bits, fullTime: 0.05 * dice.next())
                let step = sender.adaptation.step
                #expect((0...sender.last).contains(step))
                #expect(step == sender.last || bits >= sender.least(step) * VideoAdaptation.urgentShare)
            }
        }
    }

    @Test(
        "A sender of text keeps the size and asks for fewer frames; of motion, the other way round",
        arguments: ["VP8", "VP9", "H264"])
    func hints(name: String) throws {
        let codec = try #require(CodecCatalog.system.codecs(of: .video).first { $0.name == name })
        func outcome(_ hint: VideoContentHint?, _ preference: DegradationPreference? = nil) throws
            -> VideoEncoding.Outcome
        {
            var encoding = VideoEncoding()
            var parameters = RTPSendParameters()
            parameters.degradationPreference = preference
            return try encoding.encode(
                VideoFrame(buffer: I420Buffer(width: 640, height: 360), timestamp: .zero), codec: codec,
                parameters: parameters, contentHint: hint, target: .kilobits(25), framesPerSecond: 30, keyFrame: true,
                at: .zero)
        }
        for hint in [VideoContentHint.text, .detail] {
            let text = try outcome(hint)
            #expect(text.size == (640, 360) && text.framerateLimit ?? 30 <= 20)
            #expect(text.isLimitedByBandwidth)
        }
        let motion = try outcome(.motion)
        #expect(motion.size.width < 640 && motion.framerateLimit == nil)
        // What the sender is told goes before what the track says.
        let told = try outcome(.text, .maintainFramerate)
        #expect(told.size.width < 640 && told.framerateLimit == nil)
        let whole = try outcome(.text, .maintainFramerateAndResolution)
        #expect(whole.size == (640, 360) && whole.framerateLimit == nil)
    }
}
