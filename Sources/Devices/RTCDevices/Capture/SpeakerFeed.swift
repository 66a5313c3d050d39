public import RTCFrames
import RTCWire
import Synchronization

/// The loudspeaker of a call: the one that the person chose, or else the system's default output.
///
/// If a loudspeaker is unplugged or fails, an event is delivered, and the default output takes over; when the chosen
/// one is connected again, it is used again. It is open between ``start()`` and ``stop()``; audio that is delivered at
/// other times is discarded.
public final class SpeakerFeed: AudioSink {
    private struct State {
        var chosen: DeviceID?
        var isStarted = false
    }

    public let devices: DeviceList
    /// Audio goes directly to the loudspeaker, so the feed has no sink.
    private typealias Feed = DeviceFeed<any SpeakerPlayback, Never>

    private let feed: Feed
    private let link: Link
    private let following: Task<Void, Never>

    private final class Link: Sendable {
        let state = Mutex(State())
        /// The open loudspeaker, and the generation number with which its audio is checked.
        let output = Mutex<(speaker: any SpeakerPlayback, generation: Int)?>(nil)

        func setOutput(_ new: (speaker: any SpeakerPlayback, generation: Int)?) {
            let old = output.withLock { output in
                defer { output = new }
                return output
            }
            withExtendedLifetime(old) {}
        }

        func removeOutput(_ speaker: any SpeakerPlayback) {
            let old = output.withLock { output -> (speaker: any SpeakerPlayback, generation: Int)? in
                guard output?.speaker === speaker else { return nil }
                defer { output = nil }
                return output
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Creates a feed that plays on the chosen loudspeaker; `nil` where the system alone chooses, as on Apple's platforms.
    public convenience init?(devices: DeviceList) {
        guard let playback = DeviceSystem.ofMachine.playback else { return nil }
        self.init(devices: devices, playback: playback)
    }

    package init(devices: DeviceList, playback: any PlaybackBackend) {
        self.devices = devices
        let link = Link()
        self.link = link
        let changes = devices.changes()
        let feed = Feed(
            use: Feed.Use(
                candidates: { [weak devices] in
                    let chosen = link.state.withLock { $0.chosen }
                    let speaker = devices?.speakers.first { $0.id == chosen }
                    return (speaker.map { [$0] } ?? []) + [.defaultSpeaker]
                },
                open: { device, onEvent async throws(DeviceError) in
                    try await playback.openSpeaker(device, onEvent: onEvent)
                },
                start: { speaker, generation, _ in link.setOutput((speaker, generation)) },
                noteUse: { _ in },
                stop: { link.removeOutput($0) },
                close: { await $0.close() },
                canOpenWhileClosing: true))
        self.feed = feed
        following = Task { [weak feed] in
            for await change in changes where change.device.media == .speaker { feed?.look() }
        }
    }

    deinit {
        following.cancel()
        feed.stop()
    }

    /// The chosen loudspeaker; `nil` for the system's default output.
    public var chosen: DeviceID? { link.state.withLock { $0.chosen } }

    /// The loudspeaker in use; `nil` before any audio was delivered.
    public var device: MediaDevice? { feed.device }

    /// The events of the loudspeaker from now on.
    public func events() -> AsyncStream<DeviceFeedEvent> { feed.events.stream() }

    /// Chooses a loudspeaker; `nil`, or the ID of ``MediaDevice/defaultSpeaker``, for the system's default output. One
    /// that is not connected is used as soon as it is.
    public func choose(_ id: DeviceID?) {
        link.state.withLock { $0.chosen = id == MediaDevice.defaultSpeaker.id ? nil : id }
        feed.look()
    }

    /// Opens the loudspeaker. Audio that is delivered before it is open is discarded.
    public func start() {
        let isNew = link.state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        if isNew { feed.start() }
    }

    public func stop() {
        link.state.withLock { $0.isStarted = false }
        feed.stop()
    }

    public func deliver(_ frame: AudioFrame) {
        guard let output = link.output.withLock({ $0 }) else { return }
        if feed.passes(output.generation, capturedAt: frame.timestamp) { output.speaker.deliver(frame) }
    }

    /// The delay of the open loudspeaker; `nil` while none is open, or where the loudspeaker does not say.
    public var playoutDelay: Duration? { link.output.withLock { $0?.speaker }?.playoutDelay }

    /// Waits until the chosen loudspeaker is open or has failed; after ``stop()``, until it is closed.
    package func settled() async { await feed.settled() }
}
