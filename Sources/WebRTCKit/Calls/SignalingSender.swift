internal import Foundation
internal import Synchronization

/// Gives the signalling connection what is to be sent, one message after the other, so that nothing else has to wait for it.
final class SignalingSender: Sendable {
    /// Messages that may wait. Most are answers to what others send: a connection that is stuck must not gather them all.
    private static let capacity = 512

    private enum Job: Sendable {
        case send(CallCore.Outgoing, PeerID)
        case tell(CheckedContinuation<Void, Never>)
    }

    private final class Count: Sendable {
        let waiting = Atomic(0)
    }

    typealias Failure = @Sendable (CallCore.Outgoing, _ peer: PeerID, _ message: String) -> Void

    private let jobs: AsyncStream<Job>.Continuation
    private let count = Count()
    private let onFailure: Failure

    /// - Parameter onFailure: Told what could not be sent, and why in words for a person.
    init(_ signaling: any SignalingServerConnection, onFailure: @escaping Failure) {
        let (stream, continuation) = AsyncStream.makeStream(of: Job.self)
        jobs = continuation
        self.onFailure = onFailure
        Task { [count] in
            for await job in stream {
                switch job {
                case .send(let outgoing, let peer):
                    do {
                        try await signaling.send(outgoing, to: peer)
                    } catch {
                        onFailure(outgoing, peer, "\(error)")
                    }
                    count.waiting.subtract(1, ordering: .relaxed)
                case .tell(let waiter): waiter.resume()
                }
            }
        }
    }

    deinit { jobs.finish() }

    func send(_ outgoing: CallCore.Outgoing, to peer: PeerID) {
        guard count.waiting.add(1, ordering: .relaxed).newValue <= Self.capacity else {
            count.waiting.subtract(1, ordering: .relaxed)
            return onFailure(outgoing, peer, "too much waits for the signalling server")
        }
        jobs.yield(.send(outgoing, peer))
    }

    /// Waits until all that was given so far has been sent, or could not be, but no longer than `limit`.
    func drain(within limit: Duration) async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        // Neither is waited for: a connection that is stuck would hold up whoever wants to be rid of it.
        Task {
            await drain()
            continuation.finish()
        }
        let timer = Task {
            try? await Task.sleep(for: limit)
            continuation.finish()
        }
        for await _ in stream {}
        timer.cancel()
    }

    /// Waits until all that was given so far has been sent, or could not be.
    private func drain() async {
        await withCheckedContinuation { continuation in
            if case .terminated = jobs.yield(.tell(continuation)) { continuation.resume() }
        }
    }
}

extension SignalingServerConnection {
    fileprivate func send(_ outgoing: CallCore.Outgoing, to peer: PeerID) async throws {
        switch outgoing {
        case .signal(let signal): try await sendSignal(Data(signal.encoded()), to: peer)
        case .candidate(let candidate): try await sendICECandidate(Data(candidate.encoded()), to: peer)
        case .endCall: try await sendEndCall(to: peer)
        }
    }
}
