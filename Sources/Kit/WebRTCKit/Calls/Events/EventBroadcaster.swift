internal import Synchronization

/// Sends events to all readers, and the current state to each new reader.
final class EventBroadcaster: Sendable {
    typealias Event = WebRTCController.Event

    /// The most events that wait for one reader.
    static let capacity = 256

    private struct Reference<Element: Sendable> {
        weak var subscription: EventSubscription<Element>?
    }

    private struct State {
        var present = PresentState()
        var eventReaders: [Reference<Event>] = []
        var callReaders: [Reference<Call>] = []
        var isFinished = false
    }

    private let state = Mutex(State())

    /// The state after the events that were sent so far.
    var present: PresentState { state.withLock { $0.present } }

    /// Sends an event to all readers.
    func send(_ event: Event) {
        state.withLock { state in
            state.present.take(event)
            state.eventReaders.removeAll { $0.subscription == nil }
            for reader in state.eventReaders {
                reader.subscription?.push(event, capacity: Self.capacity) { [.missed] + state.present.events }
            }
            guard case .call(let call, _) = event else { return }
            state.callReaders.removeAll { $0.subscription == nil }
            for reader in state.callReaders { reader.subscription?.push(call, capacity: 1) { [call] } }
        }
    }

    /// A new sequence of the current state and the events after it.
    func events() -> AsyncStream<Event> {
        let subscription = EventSubscription<Event>()
        state.withLock { state in
            subscription.begin(with: state.present.events, isFinished: state.isFinished)
            state.eventReaders.append(Reference(subscription: subscription))
        }
        return subscription.stream()
    }

    /// A new sequence of the call's values, of which only the newest waits.
    func calls() -> AsyncStream<Call> {
        let subscription = EventSubscription<Call>()
        state.withLock { state in
            subscription.begin(with: state.present.call.map { [$0] } ?? [], isFinished: state.isFinished)
            state.callReaders.append(Reference(subscription: subscription))
        }
        return subscription.stream()
    }

    /// Ends all sequences after what waits in them, because the controller is released.
    func finish() {
        state.withLock { state in
            state.isFinished = true
            for reader in state.eventReaders { reader.subscription?.finish() }
            for reader in state.callReaders { reader.subscription?.finish() }
        }
    }

    deinit { finish() }
}

/// The current state, as a new reader receives it.
struct PresentState: Sendable {
    /// The current call, or the last one.
    var call: Call?
    var server = SignalingServerState.disconnected(reason: nil)
    var localAudio: WRKRTCAudioTrack?
    var localVideo: WRKRTCVideoTrack?
    var remoteAudio: [WRKRTCAudioTrack] = []
    var remoteVideo: [WRKRTCVideoTrack] = []

    mutating func take(_ event: WebRTCController.Event) {
        switch event {
        case .call(let call, let change):
            self.call = call
            if change == .ended { (remoteAudio, remoteVideo) = ([], []) }
        case .server(let server): self.server = server
        // The end of a replaced track is reported after the beginning of the new one.
        case .localAudio(let track, let isPresent):
            if isPresent || localAudio == track { localAudio = isPresent ? track : nil }
        case .localVideo(let track, let isPresent):
            if isPresent || localVideo == track { localVideo = isPresent ? track : nil }
        case .remoteAudio(let track, let isPresent):
            remoteAudio.removeAll { $0 == track }
            if isPresent { remoteAudio.append(track) }
        case .remoteVideo(let track, let isPresent):
            remoteVideo.removeAll { $0 == track }
            if isPresent { remoteVideo.append(track) }
        case .finalStatistics, .busy, .connectionState, .dataChannel, .device, .caughtUp, .missed: break
        }
    }

    /// The events that describe the current state to a new reader.
    var events: [WebRTCController.Event] {
        var events: [WebRTCController.Event] = [.server(server)]
        if let localAudio { events.append(.localAudio(localAudio, isPresent: true)) }
        if let localVideo { events.append(.localVideo(localVideo, isPresent: true)) }
        if let call { events.append(.call(call, .present)) }
        events += remoteAudio.map { .remoteAudio($0, isPresent: true) }
        events += remoteVideo.map { .remoteVideo($0, isPresent: true) }
        return events
    }
}
