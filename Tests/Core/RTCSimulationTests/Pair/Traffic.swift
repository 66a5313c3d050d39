import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

/// Numbered messages in both directions on channels of every kind, and the promises that each kind makes.
final class Traffic {
    struct Lane: Sendable {
        let parameters: DataChannelParameters
        /// Messages in each direction.
        let count: Int
        let largest: Int

        var isReliable: Bool { parameters.maxRetransmits == nil && parameters.maxPacketLifeTime == nil }
    }

    static let allKinds = [
        Lane(parameters: DataChannelParameters(label: "ordered"), count: 60, largest: 6_000),
        Lane(parameters: DataChannelParameters(label: "unordered", ordered: false), count: 60, largest: 6_000),
        Lane(
            parameters: DataChannelParameters(label: "once", ordered: false, maxRetransmits: 0), count: 60,
            largest: 3_000),
        Lane(parameters: DataChannelParameters(label: "twice", maxRetransmits: 2), count: 60, largest: 3_000),
        Lane(
            parameters: DataChannelParameters(label: "brief", maxPacketLifeTime: .milliseconds(150)), count: 60,
            largest: 3_000),
    ]

    let pair: SimulatedPair
    let lanes: [Lane]
    /// At most so many bytes wait on a channel, as a careful application has it.
    private let highWater = 100_000
    private var sent: [[Int]]
    private var received: [[Int]]

    /// - Parameter opener: Opens the channels, or each side every second one.
    init(_ pair: SimulatedPair, lanes: [Lane] = allKinds, opener: SimulatedSide? = .alice) throws {
        self.pair = pair
        self.lanes = lanes
        sent = [[Int]](repeating: [Int](repeating: 0, count: lanes.count), count: 2)
        received = sent
        for (index, lane) in lanes.enumerated() {
            try pair.openChannel(lane.parameters, on: opener ?? (index % 2 == 0 ? .alice : .bob))
        }
    }

    /// Sends what may be sent, and lets time pass until every reliable message has come and all others were tried.
    ///
    /// - Parameter restarts: Whether to restart ICE when it has failed, as an application would.
    func run(for time: TimeDelta, restarts: Bool = false) -> Bool {
        pair.run(for: time) { pair in
            self.pump()
            if restarts, pair.alice.peer.iceConnectionState == .failed, pair.alice.peer.signalingState == .stable {
                pair.restartICE(on: .alice)
            }
            return self.isDone
        }
    }

    /// Sends what may be sent now.
    func pump() {
        for side in SimulatedSide.allCases {
            let endpoint = pair.endpoint(side)
            for (index, lane) in lanes.enumerated() where sent[side.rawValue][index] < lane.count {
                guard let channel = endpoint.channel(lane.parameters.label), channel.state == .open else { continue }
                while sent[side.rawValue][index] < lane.count,
                    endpoint.peer.bufferedAmount(of: channel.id) < highWater
                {
                    let message = message(from: side, lane: index, number: sent[side.rawValue][index])
                    do {
                        try pair.send(message, on: channel.id, from: side)
                        sent[side.rawValue][index] += 1
                    } catch {
                        Issue.record("\(side) cannot send on \(lane.parameters.label): \(error)")
                        sent[side.rawValue][index] = lane.count
                    }
                }
            }
        }
    }

    var isDone: Bool {
        for side in SimulatedSide.allCases {
            let (sender, receiver) = (pair.endpoint(side), pair.endpoint(side.other))
            for (index, lane) in lanes.enumerated() {
                guard sent[side.rawValue][index] == lane.count, let channel = receiver.channel(lane.parameters.label)
                else { return false }
                if lane.isReliable {
                    guard channel.messages.count >= lane.count else { return false }
                } else {
                    guard let own = sender.channel(lane.parameters.label),
                        sender.peer.bufferedAmount(of: own.id) == 0
                    else { return false }
                }
            }
        }
        return true
    }

    /// How many messages of all lanes have come.
    var receivedCount: Int {
        SimulatedSide.allCases.reduce(0) { sum, side in
            sum + lanes.reduce(0) { $0 + (pair.endpoint(side).channel($1.parameters.label)?.messages.count ?? 0) }
        }
    }

    /// Nothing is lost, delivered twice, or out of order where order was promised, and every byte is right.
    func check(_ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(!pair.isStuck, comment, sourceLocation: sourceLocation)
        for side in SimulatedSide.allCases {
            for (index, lane) in lanes.enumerated() {
                let label = lane.parameters.label
                let messages = pair.endpoint(side.other).channel(label)?.messages ?? []
                let numbers = messages.map(number)
                let expected = Array(0..<lane.count)
                let isIntact = zip(messages, numbers).allSatisfy {
                    $1 < lane.count && $0 == message(from: side, lane: index, number: $1)
                }
                #expect(isIntact, "\(label) from \(side)", sourceLocation: sourceLocation)
                #expect(Set(numbers).count == numbers.count, "\(label) from \(side)", sourceLocation: sourceLocation)
                if lane.parameters.ordered {
                    #expect(numbers == numbers.sorted(), "\(label) from \(side)", sourceLocation: sourceLocation)
                }
                if lane.isReliable {
                    #expect(numbers.sorted() == expected, "\(label) from \(side)", sourceLocation: sourceLocation)
                }
            }
        }
    }

    /// A message that carries its number, and bytes that no other message has. Some are empty but for the number, some
    /// are texts.
    private func message(from side: SimulatedSide, lane: Int, number: Int) -> DataChannelMessage {
        let seed = UInt64(side.rawValue) << 40 | UInt64(lane) << 32 | UInt64(number)
        let random = SeededRandom(seed: seed)
        let size = number % 7 == 0 ? 0 : Int(random.next(below: UInt64(lanes[lane].largest)))
        var bytes: [UInt8] = []
        bytes.append(bigEndian: UInt32(number))
        if number % 5 == 0 { return DataChannelMessage(bytes: bytes, isText: true) }
        return DataChannelMessage(bytes: bytes + random.bytes(size), isText: false)
    }

    private func number(of message: DataChannelMessage) -> Int {
        message.bytes.count < 4 ? .max : message.bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }
}

/// Named conditions for both directions of a path.
struct Weather: Sendable, CustomTestStringConvertible {
    let name: String
    let conditions: LinkConditions
    /// Whether, with bad luck, not a single datagram passes for half a minute.
    let mayFail: Bool

    var testDescription: String { name }

    init(_ name: String, mayFail: Bool = false, _ change: (inout LinkConditions) -> Void) {
        self.name = name
        self.mayFail = mayFail
        var conditions = LinkConditions(delay: .milliseconds(20))
        change(&conditions)
        self.conditions = conditions
    }

    static let all = [
        Weather("fair") { _ in },
        Weather("30 % loss", mayFail: true) { $0.loss = .random(0.3) },
        Weather("bursts", mayFail: true) { $0.loss = .bursts(rate: 0.1, meanLength: 8) },
        Weather("reordering") {
            $0.jitter = .uniform(upTo: .milliseconds(20), keepsOrder: false)
            $0.reordering = Reordering(probability: 0.05, delay: .milliseconds(60))
        },
        Weather("duplication") { $0.duplication = 0.3 },
        Weather("300 ms round trip") { $0.delay = .milliseconds(150) },
        Weather("corruption") { $0.corruption = 0.05 },
        Weather("narrow, with a full queue") {
            $0.bandwidth = .kilobits(600)
            $0.queue = .bytes(20_000)
        },
        Weather("all at once", mayFail: true) {
            $0.delay = .milliseconds(80)
            $0.bandwidth = .megabits(2)
            $0.queue = .bytes(30_000)
            $0.loss = .bursts(rate: 0.1, meanLength: 3)
            $0.jitter = .normal(standardDeviation: .milliseconds(5), keepsOrder: false)
            $0.reordering = Reordering(probability: 0.02, delay: .milliseconds(50))
            $0.duplication = 0.05
            $0.corruption = 0.01
        },
    ]
}

extension SimulatedPair {
    /// Both peers directly on the internet, with the same conditions on both uplinks.
    static func direct(
        seed: UInt64, _ conditions: LinkConditions = LinkConditions(delay: .milliseconds(20)),
        signalingDelay: TimeDelta = .milliseconds(30), _ change: (inout SimulatedPairSettings) -> Void = { _ in }
    ) throws -> SimulatedPair {
        var settings = SimulatedPairSettings(seed: seed)
        settings.signalingDelay = signalingDelay
        change(&settings)
        return try SimulatedPair(settings, .direct(seed: seed, conditions))
    }

    var areConnected: Bool {
        alice.peer.connectionState == .connected && bob.peer.connectionState == .connected
    }

    /// After both have closed, nothing is pending anywhere.
    func expectSilence(sourceLocation: SourceLocation = #_sourceLocation) {
        run(for: .seconds(300))
        #expect(!isStuck, sourceLocation: sourceLocation)
        #expect(nextDeadline == nil, sourceLocation: sourceLocation)
        for endpoint in [alice, bob] {
            #expect(endpoint.peer.connectionState == .closed, "\(endpoint.side)", sourceLocation: sourceLocation)
            #expect(endpoint.peer.nextDeadline == nil, "\(endpoint.side)", sourceLocation: sourceLocation)
            #expect(
                endpoint.channels.allSatisfy { $0.state == .closed }, "\(endpoint.side)", sourceLocation: sourceLocation
            )
        }
        #expect(network.datagramsUnderWay == 0, sourceLocation: sourceLocation)
    }
}
