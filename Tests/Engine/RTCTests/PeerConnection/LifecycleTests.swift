import Foundation
import RTC
import Testing

@Suite("The life of a connection", .timeLimit(.minutes(1)))
struct LifecycleTests {
    @Test("States go from new to connected, and the sequence ends with closed")
    func states() async throws {
        let pair = try LoopbackPair()
        let events = pair.offerer.events
        let channel = try await pair.offerer.createDataChannel("data")
        try await channel.waitUntilOpen()
        #expect(await pair.offerer.connectionState == .connected)
        await pair.close()
        var states: [String] = []
        for await case .connectionStateChange(let state) in events { states.append(state.rawValue) }
        #expect(states == ["connecting", "connected", "closed"])
        #expect(await pair.offerer.connectionState == .closed)
    }

    @Test("The other side learns of a close at once")
    func farewell() async throws {
        let pair = try LoopbackPair()
        let channel = try await pair.offerer.createDataChannel("data")
        try await channel.waitUntilOpen()
        let events = pair.answerer.events
        await pair.offerer.close()
        for await case .connectionStateChange(let state) in events {
            #expect(state == .closed)
            break
        }
        await pair.answerer.close()
    }

    @Test("Closing half-way through set-up ends everything at once", arguments: 0..<8)
    func closeEarly(microseconds step: Int) async throws {
        let pair = try LoopbackPair()
        let channel = try await pair.offerer.createDataChannel("data")
        try await Task.sleep(for: .microseconds(step * 300))
        await pair.offerer.close()
        #expect(channel.state == .closed)
        await #expect(throws: (any Error).self) { try await channel.send("gone") }
        for await _ in pair.offerer.events {}
        for await _ in channel.messages {}
        await pair.answerer.close()
    }

    @Test("Connections that are let go of leave no descriptor behind")
    func descriptors() async throws {
        func count() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }
        do {
            let pair = try LoopbackPair()
            let channel = try await pair.offerer.createDataChannel("data")
            try await channel.waitUntilOpen()
            await pair.close()
        }
        let before = count()
        for _ in 0..<20 {
            let pair = try LoopbackPair()
            let channel = try await pair.offerer.createDataChannel("data")
            try await channel.waitUntilOpen()
            await pair.close()
        }
        // Other tests of this process may open a few meanwhile.
        #expect(count() <= before + 16)
    }

    @Test("An ICE restart keeps the channel open and its messages whole")
    func restart() async throws {
        let pair = try LoopbackPair()
        let incoming = LoopbackPair.incoming(pair.answerer)
        let channel = try await pair.offerer.createDataChannel("data")
        let other = try #require(await incoming.value)
        let sender = Task {
            for number in 0..<300 {
                try await channel.send("\(number)")
                if number % 100 == 50 { await pair.offerer.restartICE() }
                if number % 10 == 0 { try await Task.sleep(for: .milliseconds(1)) }
            }
        }
        var expected = 0
        for await message in other.messages {
            #expect(message == .text("\(expected)"))
            expected += 1
            if expected == 300 { break }
        }
        try await sender.value
        await pair.close()
    }

    @Test("Manual negotiation works as the W3C's, and refuses what comes at the wrong time")
    func manual() async throws {
        let offerer = try PeerConnection(configuration: LoopbackPair.configuration { $0.negotiation = .manual })
        let answerer = try PeerConnection(configuration: LoopbackPair.configuration { $0.negotiation = .manual })
        let candidates = (offerer.signals, answerer.signals)
        await #expect(throws: RTCError.self) { try await offerer.createAnswer() }
        let channel = try await offerer.createDataChannel("data")
        let offer = try await offerer.createOffer()
        try await offerer.setLocalDescription(offer)
        try await answerer.setRemoteDescription(offer)
        let answer = try await answerer.createAnswer()
        try await answerer.setLocalDescription(answer)
        try await offerer.setRemoteDescription(answer)
        await #expect(throws: RTCError.self) { try await offerer.setRemoteDescription(answer) }
        let forwarding = [(candidates.0, answerer), (candidates.1, offerer)].map { signals, target in
            Task {
                for await case .candidate(let candidate) in signals { try? await target.addICECandidate(candidate) }
            }
        }
        try await channel.waitUntilOpen()
        await offerer.close()
        await answerer.close()
        for task in forwarding { await task.value }
    }
}
