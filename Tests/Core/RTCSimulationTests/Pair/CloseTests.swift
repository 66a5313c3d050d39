import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@Suite("Closing")
struct CloseTests {
    @Test(
        "leaves nothing pending, at whatever moment",
        arguments: [0, 5, 30, 35, 60, 62, 80, 100, 110, 130, 150, 200, 500, 3_000])
    func anyMoment(milliseconds: Int64) throws {
        for seed in Seeds.few {
            for first in SimulatedSide.allCases {
                let pair = try SimulatedPair.direct(
                    seed: seed, LinkConditions(bandwidth: .megabits(1), delay: .milliseconds(20)))
                let traffic = try Traffic(pair)
                _ = pair.run(for: .milliseconds(milliseconds)) { _ in
                    traffic.pump()
                    return false
                }
                pair.close(first)
                #expect(pair.endpoint(first).peer.connectionState == .closed)
                #expect(pair.endpoint(first).channels.allSatisfy { $0.state == .closed })
                pair.run(for: .milliseconds(700))
                pair.close(first.other)
                pair.expectSilence()
            }
        }
    }

    @Test("tells the other peer at once, when the good-bye arrives")
    func goodBye() throws {
        let pair = try SimulatedPair.direct(seed: 1)
        let traffic = try Traffic(pair)
        #expect(traffic.run(for: .seconds(30)))
        pair.close(.alice)
        pair.run(for: .milliseconds(100))
        #expect(pair.bob.peer.connectionState == .closed)
        #expect(pair.bob.channels.allSatisfy { $0.state == .closed })
    }

    @Test("of one channel lets what was sent arrive, and leaves the others alone", arguments: Seeds.all)
    func oneChannel(seed: UInt64) throws {
        let pair = try SimulatedPair.direct(seed: seed, LinkConditions(delay: .milliseconds(20), loss: .random(0.1)))
        try pair.openChannel(DataChannelParameters(label: "stays"), on: .alice)
        try pair.openChannel(DataChannelParameters(label: "goes"), on: .alice)
        #expect(
            pair.run(for: .seconds(60)) {
                $0.bob.channel("goes")?.state == .open && $0.bob.channel("stays")?.state == .open
                    && $0.alice.channel("goes")?.state == .open
            })
        let goes = try #require(pair.alice.channel("goes")).id
        let messages = (0..<30).map { DataChannelMessage(bytes: SeededRandom(seed: $0).bytes(3_000), isText: false) }
        for message in messages { try pair.send(message, on: goes, from: .alice) }
        pair.with(.alice) { $0.closeChannel(goes, at: $1) }
        #expect(
            pair.run(for: .seconds(120)) {
                $0.alice.channel("goes")?.state == .closed && $0.bob.channel("goes")?.state == .closed
            })
        #expect(pair.bob.channel("goes")?.messages == messages)
        #expect(pair.alice.channel("stays")?.state == .open && pair.bob.channel("stays")?.state == .open)
        // Its number can be used again.
        try pair.openChannel(DataChannelParameters(label: "again"), on: .bob)
        #expect(pair.run(for: .seconds(60)) { $0.alice.channel("again")?.state == .open })
    }
}
