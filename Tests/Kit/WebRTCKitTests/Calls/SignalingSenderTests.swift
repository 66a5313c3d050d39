import Foundation
import RTCPeer
import RTCWire
import Synchronization
import Testing

@testable import WebRTCKit

/// A connection that refuses what it is told to, and says in words what it was given.
private final class RefusingConnection: SignalingServerConnection {
    struct Refused: Error {}

    private let state = Mutex((refuses: Set<String>(), said: [String](), isStuck: false))

    var said: [String] { state.withLock { $0.said } }
    func refuse(_ words: Set<String>) { state.withLock { $0.refuses = words } }
    func setStuck(_ isStuck: Bool) { state.withLock { $0.isStuck = isStuck } }

    /// What a signal's description is, or a candidate.
    static func word(of bytes: [UInt8]) -> String {
        if case .answer(let sdp)? = (try? CallSignal(decoding: bytes))?.content { return sdp }
        return (try? CallCandidate(decoding: bytes))?.candidate.candidate ?? "?"
    }

    private func say(_ word: String) async throws {
        while state.withLock({ $0.isStuck }) { try await Task.sleep(for: .milliseconds(1)) }
        try state.withLock { state in
            guard !state.refuses.contains(word) else { throw Refused() }
            state.said.append(word)
        }
    }

    var isOpen: Bool { true }
    func setDelegate(_ delegate: (any SignalingServerDelegate)?) {}
    func connect() async throws -> PeerID { "alice" }
    func disconnect() {}
    func sendSignal(_ signal: Data, to destinationID: PeerID) async throws {
        try await say(Self.word(of: Array(signal)))
    }
    func sendICECandidate(_ candidate: Data, to destinationID: PeerID) async throws {
        try await say(Self.word(of: Array(candidate)))
    }
    func sendEndCall(to destinationID: PeerID) async throws { try await say("endCall \(destinationID)") }
    func onConnectionSatisfied() {}
    func onConnectionUnsatisfied() {}
}

@Suite("The queue of what is sent", .timeLimit(.minutes(1)))
struct SignalingSenderTests {
    private final class Failures: Sendable {
        private let words = Mutex<[String]>([])
        func note(_ outgoing: CallCore.Outgoing, _ peer: PeerID) {
            let word =
                switch outgoing {
                case .signal(let signal): RefusingConnection.word(of: signal.encoded())
                case .candidate(let candidate): RefusingConnection.word(of: candidate.encoded())
                case .endCall: "endCall \(peer)"
                }
            words.withLock { $0.append(word) }
        }
        var all: [String] { words.withLock { $0 } }
    }

    private let connection = RefusingConnection()
    private let failures = Failures()
    private let sender: SignalingSender

    init() {
        sender = SignalingSender(connection) { [failures] outgoing, peer, _ in failures.note(outgoing, peer) }
    }

    private static let call = CallIdentifier.random(from: SeededRandom(seed: 1))

    /// Sends a signal in which only a word matters.
    private func say(_ word: String, to peer: PeerID = "bob") {
        sender.send(.signal(CallSignal(call: Self.call, .answer(sdp: word))), to: peer)
    }
    private func end(_ peer: PeerID = "bob") { sender.send(.endCall, to: peer) }

    @Test("An endCall whose signal could not be sent is not sent either")
    func aloneAfterFailure() async {
        connection.refuse(["hangUp"])
        say("hangUp")
        end()
        say("hangUp to carol", to: "carol")
        end("carol")
        await sender.drain(within: .seconds(20))
        #expect(connection.said == ["hangUp to carol", "endCall carol"])
        #expect(failures.all == ["hangUp", "endCall bob"])
        // Tried again, with candidates and others' messages in between, and in vain once more.
        say("hangUp")
        sender.send(.candidate(CallCandidate(call: Self.call, ICECandidateInit(candidate: "candidate"))), to: "bob")
        say("busy", to: "carol")
        end()
        await sender.drain(within: .seconds(20))
        #expect(failures.all == ["hangUp", "endCall bob", "hangUp", "endCall bob"])
        connection.refuse([])
        say("hangUp")
        end()
        await sender.drain(within: .seconds(20))
        #expect(connection.said.suffix(2) == ["hangUp", "endCall bob"])
        #expect(failures.all.count == 4)
    }

    @Test("A cancelled task waits as well until everything was sent")
    func drainedInCancelledTask() async {
        let (sender, connection) = (sender, connection)
        connection.setStuck(true)
        say("hangUp")
        let waiting = Task { await sender.drain(within: .seconds(20)) }
        waiting.cancel()
        Task {
            try? await Task.sleep(for: .milliseconds(50))
            connection.setStuck(false)
        }
        await waiting.value
        #expect(connection.said == ["hangUp"])
    }

    @Test("An endCall for whose signal there was no room is not sent, though there is room again")
    func aloneWithoutRoom() async {
        connection.setStuck(true)
        for number in 0..<512 { say("\(number)", to: "carol") }
        say("hangUp")
        #expect(failures.all == ["hangUp"])
        connection.setStuck(false)
        await sender.drain(within: .seconds(20))
        end()
        await sender.drain(within: .seconds(20))
        #expect(failures.all == ["hangUp", "endCall bob"])
        #expect(connection.said.count == 512)
        say("hangUp")
        end()
        await sender.drain(within: .seconds(20))
        #expect(connection.said.suffix(2) == ["hangUp", "endCall bob"])
    }
}
