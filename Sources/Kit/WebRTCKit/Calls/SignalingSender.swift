internal import Foundation
internal import Synchronization

/// Passes messages to the signalling connection, one after the other, so that nothing else has to wait for it.
final class SignalingSender: Sendable {
    /// The maximum number of waiting messages. Most are responses to other peers, who could fill the memory if a connection does
    /// not send.
    private static let capacity = 512
    private static let isAlone = "the signal that it belongs to could not be sent"

    private enum Job: Sendable {
        case send(CallCore.Outgoing, PeerID)
        case tell(CheckedContinuation<Void, Never>)
    }

    /// The peers whose last signal could not be sent.
    ///
    /// An `endCall` names no call, and belongs to the signal before it. Without that signal it could end a later call with the
    /// peer.
    private struct Failures {
        private static let capacity = 64
        private var peers: [PeerID] = []

        mutating func note(_ peer: PeerID, hasFailed: Bool) {
            peers.removeAll { $0 == peer }
            guard hasFailed else { return }
            if peers.count == Self.capacity { peers.removeFirst() }
            peers.append(peer)
        }

        func contains(_ peer: PeerID) -> Bool { peers.contains(peer) }
    }

    private final class Count: Sendable {
        let waiting = Atomic(0)
    }

    typealias Failure = @Sendable (CallCore.Outgoing, _ peer: PeerID, _ message: String) -> Void

    private let jobs: AsyncStream<Job>.Continuation
    private let count = Count()
    /// The peers whose last signal was dropped because too many waited.
    private let refused = Mutex(Failures())
    private let onFailure: Failure

    /// - Parameters:
    ///   - onInvitation: Called when an invitation was sent, or could not be.
    ///   - onFailure: Called with a message that could not be sent, and a human-readable reason.
    init(
        _ signaling: any SignalingServerConnection, onInvitation: @escaping @Sendable () -> Void = {},
        onFailure: @escaping Failure
    ) {
        let (stream, continuation) = AsyncStream.makeStream(of: Job.self)
        jobs = continuation
        self.onFailure = onFailure
        Task { [count] in
            var failures = Failures()
            for await job in stream {
                switch job {
                case .send(.endCall, let peer) where failures.contains(peer):
                    onFailure(.endCall, peer, Self.isAlone)
                    count.waiting.subtract(1, ordering: .relaxed)
                case .send(let outgoing, let peer):
                    var hasFailed = false
                    do {
                        try await signaling.send(outgoing, to: peer)
                    } catch {
                        hasFailed = true
                        onFailure(outgoing, peer, "\(error)")
                    }
                    if case .signal(let signal) = outgoing {
                        failures.note(peer, hasFailed: hasFailed)
                        if case .invite = signal.content { onInvitation() }
                    }
                    count.waiting.subtract(1, ordering: .relaxed)
                case .tell(let waiter): waiter.resume()
                }
            }
        }
    }

    deinit { jobs.finish() }

    func send(_ outgoing: CallCore.Outgoing, to peer: PeerID) {
        guard outgoing != .endCall || !refused.withLock({ $0.contains(peer) }) else {
            return onFailure(outgoing, peer, Self.isAlone)
        }
        let hasRoom = count.waiting.add(1, ordering: .relaxed).newValue <= Self.capacity
        if case .signal = outgoing { refused.withLock { $0.note(peer, hasFailed: !hasRoom) } }
        guard hasRoom else {
            count.waiting.subtract(1, ordering: .relaxed)
            return onFailure(outgoing, peer, "too much waits for the signalling server")
        }
        jobs.yield(.send(outgoing, peer))
    }

    /// Waits until all messages so far were sent or have failed, but no longer than `limit`; also in a cancelled task.
    func drain(within limit: Duration) async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        // Neither task is awaited, so that a stuck connection cannot delay the caller.
        Task {
            await drain()
            continuation.finish()
        }
        let timer = Task {
            try? await Task.sleep(for: limit)
            continuation.finish()
        }
        // In a task of its own: in a cancelled one a sequence ends at once.
        await Task { for await _ in stream {} }.value
        timer.cancel()
    }

    /// Waits until all messages so far were sent or have failed.
    private func drain() async {
        await withCheckedContinuation { continuation in
            if case .terminated = jobs.yield(.tell(continuation)) { continuation.resume() }
        }
    }
}

extension SignalingServerConnection {
    fileprivate func send(_ outgoing: CallCore.Outgoing, to peer: PeerID) async throws {
        let typed = self as? any TypedSignalingConnection
        switch outgoing {
        case .signal(let signal) where typed != nil: try await typed?.send(signal, to: peer)
        case .candidate(let candidate) where typed != nil: try await typed?.send(candidate, to: peer)
        case .signal(let signal): try await sendSignal(Data(signal.encoded()), to: peer)
        case .candidate(let candidate): try await sendICECandidate(Data(candidate.encoded()), to: peer)
        case .endCall: try await sendEndCall(to: peer)
        }
    }
}
