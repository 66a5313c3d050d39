import Foundation
import Testing

@testable import WebRTCKit

@Suite("A connection to a signalling server that belongs to an actor")
struct ActorSignalingTests {
    /// It has no lock, and keeps its delegate weakly.
    private final class Connection: IsolatedSignalingServerConnection {
        private(set) var calls: [String] = []
        private(set) var isOpen = false
        private weak var delegate: (any SignalingServerDelegate)?

        func setDelegate(_ delegate: (any SignalingServerDelegate)?) {
            self.delegate = delegate
            calls.append("delegate")
        }
        func connect() async throws -> PeerID {
            calls.append("connect")
            isOpen = true
            return "alice"
        }
        func disconnect() { calls.append("disconnect") }
        func sendSignal(_ signal: Data, to destinationID: PeerID) async throws { calls.append("signal") }
        func sendICECandidate(_ candidate: Data, to destinationID: PeerID) async throws { calls.append("candidate") }
        func sendEndCall(to destinationID: PeerID) async throws { calls.append("end") }
        func onConnectionSatisfied() { calls.append("satisfied") }
        func onConnectionUnsatisfied() { calls.append("unsatisfied") }

        func close() { delegate?.socketDidClose() }
        func open() { delegate?.socketDidOpen() }
        func tellDetails() async {
            let detailed = delegate as? any SignalingServerDetailsDelegate
            await detailed?.didReceiveSignal(
                Data(), from: "bob", isPolite: true, details: SignalDetails(device: "bob/phone", name: "Bob"))
            detailed?.waitingSignalsWereDelivered()
            detailed?.serverDidChange(to: .stopping)
        }
    }

    private final class Delegate: SignalingServerDelegate {
        let told: AsyncStream<String>.Continuation

        init(_ told: AsyncStream<String>.Continuation) {
            self.told = told
        }
        func didReceiveSignal(_ signalData: Data, from remotePeerID: PeerID, isPolite: Bool) async {
            told.yield("signal")
        }
        func didReceiveICECandidate(_ candidateData: Data, from remotePeerID: PeerID) async {}
        func didReceiveEndCall(from remotePeerID: PeerID) async {}
        func shouldConnect(to remotePeerID: PeerID) async {}
        func socketDidOpen() { told.yield("opened") }
        func socketDidClose() { told.yield("closed") }
    }

    @Test("What is handed to the actor runs in the order in which it was handed over, whatever its priority")
    func order() async {
        let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
        for number in 0..<1_000 {
            Task(priority: number.isMultiple(of: 3) ? .high : .low) { @WebRTCActor in continuation.yield(number) }
        }
        var seen: [Int] = []
        for await number in numbers.prefix(1_000) { seen.append(number) }
        #expect(seen == Array(0..<1_000))
    }

    @Test("It is asked in order, without waiting where the kit does not wait")
    func calls() async throws {
        let connection = Connection()
        let signaling = ActorSignaling(connection)
        signaling.setDelegate(Delegate(AsyncStream.makeStream(of: String.self).continuation))
        #expect(try await signaling.connect() == "alice")
        signaling.onConnectionUnsatisfied()
        signaling.onConnectionSatisfied()
        try await signaling.sendSignal(Data(), to: "bob")
        try await signaling.sendICECandidate(Data(), to: "bob")
        try await signaling.sendEndCall(to: "bob")
        signaling.disconnect()
        await Task { @WebRTCActor in }.value
        #expect(
            await connection.calls
                == ["delegate", "connect", "unsatisfied", "satisfied", "signal", "candidate", "end", "disconnect"])
    }

    /// A delegate that takes details, as the controller does.
    private final class DetailsDelegate: SignalingServerDetailsDelegate {
        let told: AsyncStream<String>.Continuation

        init(_ told: AsyncStream<String>.Continuation) {
            self.told = told
        }
        func didReceiveSignal(
            _ signalData: Data, from remotePeerID: PeerID, isPolite: Bool, details: SignalDetails
        ) async {
            told.yield("signal of \(details.name ?? "nobody") on \(details.device ?? "nothing")")
        }
        func waitingSignalsWereDelivered() { told.yield("delivered") }
        func serverDidChange(to server: SignalingServerState) { told.yield("\(server)") }
        func presenceDidChange(of call: CallIdentifier, to presence: Call.Presence, hasNewSession: Bool) async {}
        func messageWasDropped(of call: CallIdentifier) async {}
        func serverWasLost(reason: String, endingWith outcome: Call.Outcome) {}
        func didReceiveSignal(_ signalData: Data, from remotePeerID: PeerID, isPolite: Bool) async {}
        func didReceiveICECandidate(_ candidateData: Data, from remotePeerID: PeerID) async {}
        func didReceiveEndCall(from remotePeerID: PeerID) async {}
        func shouldConnect(to remotePeerID: PeerID) async {}
        func socketDidOpen() {}
        func socketDidClose() {}
    }

    @Test("What the server knows beyond the signals passes through; a delegate without details gets the signal")
    func details() async throws {
        let connection = Connection()
        let signaling = ActorSignaling(connection)
        let (told, continuation) = AsyncStream.makeStream(of: String.self)
        var news = told.makeAsyncIterator()
        let delegate = DetailsDelegate(continuation)
        signaling.setDelegate(delegate)
        await Task { @WebRTCActor in }.value
        await connection.tellDetails()
        #expect(await news.next() == "signal of Bob on bob/phone")
        #expect(await news.next() == "delivered")
        #expect(await news.next() == "stopping")
        let plain = Delegate(continuation)
        signaling.setDelegate(plain)
        await Task { @WebRTCActor in }.value
        await connection.tellDetails()
        #expect(await news.next() == "signal")
        withExtendedLifetime((delegate, plain)) {}
    }

    @Test("Whether it is open is known without waiting, and the controller is told of changes")
    func openState() async throws {
        let connection = Connection()
        let signaling = ActorSignaling(connection)
        let (told, continuation) = AsyncStream.makeStream(of: String.self)
        var news = told.makeAsyncIterator()
        let delegate = Delegate(continuation)
        signaling.setDelegate(delegate)
        #expect(!signaling.isOpen)
        _ = try await signaling.connect()
        #expect(signaling.isOpen)
        await connection.close()
        #expect(!signaling.isOpen)
        #expect(await news.next() == "closed")
        await connection.open()
        #expect(signaling.isOpen)
        #expect(await news.next() == "opened")
        signaling.disconnect()
        #expect(!signaling.isOpen)
        withExtendedLifetime(delegate) {}
    }
}
