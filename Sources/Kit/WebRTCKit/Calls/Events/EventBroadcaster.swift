internal import Synchronization

/// Gives what happens to everybody who reads it, and the present to whoever begins to.
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

    /// How everything is now, as far as it has been told.
    var present: PresentState { state.withLock { $0.present } }

    /// Gives an event to all readers.
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

    /// What happens from now on, after the present.
    func events() -> AsyncStream<Event> {
        let subscription = EventSubscription<Event>()
        state.withLock { state in
            subscription.begin(with: state.present.events, isFinished: state.isFinished)
            state.eventReaders.append(Reference(subscription: subscription))
        }
        return subscription.stream()
    }

    /// Each newest value of the call.
    func calls() -> AsyncStream<Call> {
        let subscription = EventSubscription<Call>()
        state.withLock { state in
            subscription.begin(with: state.present.call.map { [$0] } ?? [], isFinished: state.isFinished)
            state.callReaders.append(Reference(subscription: subscription))
        }
        return subscription.stream()
    }

    /// The controller is gone: readers read what is left, and no more.
    func finish() {
        state.withLock { state in
            state.isFinished = true
            for reader in state.eventReaders { reader.subscription?.finish() }
            for reader in state.callReaders { reader.subscription?.finish() }
        }
    }

    deinit { finish() }
}

/// How everything is that events tell of.
struct PresentState: Sendable {
    /// The call that there is, or that ended last.
    var call: Call?
    var server = ServerState.disconnected(reason: nil)
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
        // A track that another one has replaced ends after that one's beginning.
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
        case .finalStatistics, .busy, .connectionState, .dataChannel, .device, .missed: break
        }
    }

    /// What tells a new reader of it.
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
