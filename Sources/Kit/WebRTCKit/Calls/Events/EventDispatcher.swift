internal import RTC
internal import Synchronization

/// Delivers events to the readers of ``WebRTCController/events`` and ``WebRTCController/calls``, and to the delegate.
///
/// Events are delivered in order by a task of their own, so that a slow delegate delays only the events after it.
final class EventDispatcher: Sendable {
    typealias Event = WebRTCController.Event

    private enum Job: Sendable {
        case send(Event)
        case prepare(@Sendable () async -> [Event])
        case resume(CheckedContinuation<Void, Never>)
    }

    private final class Recipient: Sendable {
        private struct Reference {
            weak var delegate: (any CallManagerDelegate)?
        }

        private let reference = Mutex(Reference())

        var delegate: (any CallManagerDelegate)? {
            get { reference.withLock { $0.delegate } }
            set { reference.withLock { $0.delegate = newValue } }
        }
    }

    let broadcaster = EventBroadcaster()
    private let recipient = Recipient()
    // Not bounded: the peer can cause few events, and each of them takes it long.
    private let jobs: AsyncStream<Job>.Continuation

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Job.self)
        jobs = continuation
        Task { [recipient, broadcaster] in
            /// The last statistics of the call that ends next.
            var statistics: StatisticsReport?
            func send(_ event: Event) {
                broadcaster.send(event)
                if case .finalStatistics(let report) = event { statistics = report }
                recipient.delegate?.take(event, statistics)
                if case .call(_, .ended) = event { statistics = nil }
            }
            for await job in stream {
                switch job {
                case .send(let event): send(event)
                case .prepare(let prepare): for event in await prepare() { send(event) }
                case .resume(let sender): sender.resume()
                }
            }
            broadcaster.finish()
        }
    }

    deinit { jobs.finish() }

    func setDelegate(_ delegate: (any CallManagerDelegate)?) { recipient.delegate = delegate }

    /// Delivers an event after those that were sent before.
    func send(_ event: Event) { jobs.yield(.send(event)) }

    /// Delivers the events that `prepare` returns, and no later event before them.
    func send(_ prepare: @escaping @Sendable () async -> [Event]) { jobs.yield(.prepare(prepare)) }

    /// Waits until the events that were sent before have been delivered.
    func delivered() async { await withCheckedContinuation { _ = jobs.yield(.resume($0)) } }
}

extension CallManagerDelegate {
    /// Calls the method that corresponds to an event, if there is one.
    ///
    /// - Parameter statistics: The last statistics of the call that ends with this event.
    func take(_ event: WebRTCController.Event, _ statistics: StatisticsReport?) {
        switch event {
        case .call(let call, let change): take(call, change, statistics)
        case .connectionState(let state, let reason): connectionStateDidChange(to: state, reason: reason)
        case .localAudio(let track, isPresent: true): didAddLocalAudioTrack(track)
        case .localVideo(let track, isPresent: true): didAddLocalVideoTrack(track)
        case .localVideo(let track, isPresent: false): localVideoTrackWasRemoved(track)
        case .remoteAudio(let track, isPresent: true): didAddRemoteAudioTrack(track)
        case .remoteAudio(let track, isPresent: false): remoteAudioTrackWasRemoved(track)
        case .remoteVideo(let track, isPresent: true): didAddRemoteVideoTrack(track)
        case .remoteVideo(let track, isPresent: false): remoteVideoTrackWasRemoved(track)
        case .dataChannel(let channel): didReceiveDataChannel(channel)
        case .device(let event, let media): mediaDeviceDidChange(event, of: media)
        case .localAudio(_, isPresent: false), .finalStatistics, .busy, .server, .caughtUp, .missed: break
        }
    }

    private func take(_ call: Call, _ change: Call.Change, _ statistics: StatisticsReport?) {
        switch change {
        case .began where call.direction == .incoming: didReceiveIncomingCall(from: call.peer.id, media: call.media)
        case .ringing: peerIsRinging()
        case .connected: callDidStart()
        case .connectionLost: connectionLost()
        case .connectionRestored: connectionRestored()
        case .verification: verificationDidChange(to: call.verification)
        case .quality: if let quality = call.quality { callQualityDidChange(to: quality) }
        case .ended:
            guard let outcome = call.outcome else { return }
            callWillEnd(as: CallEnding(outcome))
            callDidEnd(withError: outcome.error, statistics: statistics)
        case .present, .began, .glare, .answered, .presence: break
        }
    }
}
