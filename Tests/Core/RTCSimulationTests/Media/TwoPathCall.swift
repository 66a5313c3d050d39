import RTCMedia
import RTCPeer
import RTCSimulation
import RTCWire
import Testing

/// A call in which alice has two interfaces, as a phone with Wi-Fi and a mobile network, and bob has one.
final class TwoPathCall {
    let call: MediaCall
    let sounds: [AudioPacketRecorder]
    /// The interface that carries the call at first, and the other one.
    private(set) var first: SimulatedNetwork.InterfaceID
    private(set) var second: SimulatedNetwork.InterfaceID
    private(set) var firstAddress = IPAddress(192, 0, 2, 1)
    private(set) var secondAddress = IPAddress(198, 51, 100, 1)
    let bobAddress = IPAddress(192, 0, 2, 2)

    static let wifi = LinkConditions(bandwidth: .megabits(4), delay: .milliseconds(15))
    static let mobile = LinkConditions(bandwidth: .megabits(2), delay: .milliseconds(40))

    var pair: SimulatedPair { call.pair }

    /// A call that has lasted for some seconds.
    init(seed: UInt64) throws {
        var network = SimulatedNetwork(seed: seed)
        let (alice, bob) = (network.addHost(), network.addHost())
        let first = network.addInterface(to: alice, address: firstAddress)
        let second = network.addInterface(to: alice, address: secondAddress)
        let far = network.addInterface(to: bob, address: bobAddress)
        for (interface, conditions) in [(first, Self.wifi), (second, Self.mobile), (far, Self.wifi)] {
            network.setConditions(conditions, on: interface.uplink)
        }
        let call = try MediaCall(
            seed: seed, SimulatedTopology(network: network, alice: alice, bob: bob),
            uplinks: [first.uplink, far.uplink])
        try #require(call.run(for: .seconds(10)) { $0.areConnected })
        call.run(for: .milliseconds(500))
        let sounds = try SimulatedSide.allCases.map { try call.recordAudio(to: $0) }
        call.run(for: .milliseconds(6_000 + Int64(seed % 13) * 7))
        self.call = call
        self.sounds = sounds
        self.first = first
        self.second = second
        if pair.bob.peer.selectedPath?.remote.ip == secondAddress {
            (self.first, self.second) = (second, first)
            (firstAddress, secondAddress) = (secondAddress, firstAddress)
        }
        try #require(pair.bob.peer.selectedPath?.remote.ip == firstAddress)
    }

    enum Direction: CaseIterable {
        case both, toBob, toAlice
    }

    /// Lets nothing pass on the first path, or lets it pass again.
    func block(_ isBlocked: Bool, _ direction: Direction) {
        if direction != .toAlice { pair.network.setBlocked(isBlocked, from: firstAddress, to: bobAddress) }
        if direction != .toBob { pair.network.setBlocked(isBlocked, from: bobAddress, to: firstAddress) }
    }

    /// Holds up what is on the first path for `time`, and loses nothing.
    func stall(for time: TimeDelta, _ direction: Direction) {
        var links: [SimulatedNetwork.LinkID] = []
        if direction != .toAlice { links.append(first.uplink) }
        if direction != .toBob { links.append(first.downlink) }
        let before = links.map { pair.network.conditions(of: $0) }
        for link in links {
            var conditions = pair.network.conditions(of: link)
            conditions.bandwidth = Bitrate(bitsPerSecond: 1)
            conditions.queue = .unlimited
            pair.network.setConditions(conditions, on: link)
        }
        call.run(for: time)
        for (link, conditions) in zip(links, before) {
            var draining = conditions
            draining.queue = .unlimited
            draining.bandwidth = conditions.bandwidth ?? .megabits(20)
            pair.network.setConditions(draining, on: link)
        }
    }

    // MARK: What was seen

    /// How often either side has chosen another path since `start`.
    func moves(since start: Instant) -> Int {
        [pair.alice, pair.bob].reduce(0) { count, endpoint in
            count
                + endpoint.events.count { event in
                    if case .selectedPath = event.event { event.time > start } else { false }
                }
        }
    }

    /// The number of packets that `side` has sent, without retransmissions.
    func mediaSent(by side: SimulatedSide) -> UInt64 {
        let endpoint = pair.endpoint(side)
        return endpoint.peer.transceivers.reduce(0) {
            $0 + (endpoint.peer.outgoingStatistics($1.id)?.stream.packetsSent ?? 0)
        }
    }

    /// The time after `start` at which the longest silence of sound that reaches `side` was over.
    func soundBack(at side: SimulatedSide, since start: Instant) -> TimeDelta {
        Self.endOfLongestGap(sounds[side.rawValue].packets.map(\.info.arrival), since: start)
    }

    /// The same of the pictures that `side` was given.
    func pictureBack(at side: SimulatedSide, since start: Instant) -> TimeDelta {
        Self.endOfLongestGap(pair.endpoint(side).pictures.map(\.time), since: start)
    }

    private static func endOfLongestGap(_ times: [Instant], since start: Instant) -> TimeDelta {
        let times = times.filter { $0 > start - .milliseconds(200) }
        guard times.count > 1 else { return .seconds(1_000) }
        let gaps = zip(times, times.dropFirst()).map { (length: $1 - $0, end: $1) }
        return (gaps.max { $0.length < $1.length }?.end ?? start + .seconds(1_000)) - start
    }
}
