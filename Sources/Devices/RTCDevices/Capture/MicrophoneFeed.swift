public import RTCFrames
import RTCWire
import Synchronization

/// The audio of a call's microphone: the one that was connected last, or that the person chose.
///
/// If a microphone is unplugged or fails, an event is delivered, and the next microphone takes over, without
/// renegotiation. One that has delivered nothing for 5 seconds after it was opened has failed: it is opened once more,
/// with 10 seconds, before the next one takes over.
public final class MicrophoneFeed: AudioSource {
    private typealias Feed = DeviceFeed<any MicrophoneCapture, any AudioSink>

    public let devices: DeviceList
    private let feed: Feed
    private let link: Link
    private let watch: CameraSelectorToken?
    private let following: Task<Void, Never>

    private final class Link: Sendable {
        let choice = Mutex(MicrophoneChoice())
    }

    /// Creates a feed of the chosen microphone.
    ///
    /// - Parameters:
    ///   - cameras: The camera selection: the microphone built into the selected camera is offered with it.
    ///   - processing: The processing of the audio.
    ///   - system: The device access to use; by default this machine's.
    public init(
        devices: DeviceList, besides cameras: CameraSelector? = nil, processing: VoiceProcessing = .call,
        system: DeviceSystem = .ofMachine
    ) {
        self.devices = devices
        let link = Link()
        self.link = link
        let changes = devices.changes()
        link.choice.withLock { choice in
            choice.update(devices.microphones)
            choice.camera = cameras?.choice.current
        }
        let backend = system.capture
        let feed = Feed(
            use: Feed.Use(
                candidates: { link.choice.withLock { $0.candidates } },
                open: { device, onEvent async throws(DeviceError) in
                    try await backend.openMicrophone(device, processing: processing, onEvent: onEvent)
                },
                start: { capture, generation, feed in capture.start(delivering: Gate(generation, feed)) },
                noteUse: { _ in },
                stop: { $0.stop() },
                close: { await $0.close() },
                canOpenWhileClosing: backend.canOpenWhileClosing,
                isPaused: { ($0 as? any PausableCapture)?.isPaused == true }))
        self.feed = feed
        // Another camera does not change the microphone, so the feed does not look again.
        watch = cameras?.watch { [weak cameras] in
            guard let cameras else { return }
            link.choice.withLock { $0.camera = cameras.choice.current }
        }
        following = Task { [weak feed, weak devices] in
            for await change in changes where change.device.media == .microphone {
                guard let feed, let devices else { return }
                link.choice.withLock { $0.update(devices.microphones) }
                feed.look()
            }
        }
    }

    deinit {
        following.cancel()
        feed.stop()
    }

    /// The current choice, as a value.
    public var choice: MicrophoneChoice { link.choice.withLock { $0 } }

    /// The microphone that delivers audio; `nil` if none does.
    public var device: MediaDevice? { feed.device }

    /// Whether the open microphone's echo cancellation works; ``EchoCancellation/off`` while none is open. `nil` on
    /// Apple's platforms: the system cancels the echo, and does not tell how well.
    ///
    /// A loss is noticed after a second and a half in which the echo is heard, and is over after a second in which
    /// something is played and not heard. The statistics of a connection have it as well, for the track that is sent
    /// (`MediaSourceStatistics`).
    public var echoCancellation: EchoCancellation? {
        guard let capture = feed.capture else { return .off }
        return capture.echoCancellation
    }

    /// The events of the microphone from now on.
    public func events() -> AsyncStream<DeviceFeedEvent> { feed.events.stream() }

    /// Chooses a microphone. Does nothing if it is not connected.
    public func choose(_ id: DeviceID) {
        link.choice.withLock { choice in
            // The microphone may have been chosen from the list before its arrival was reported here.
            choice.update(devices.microphones)
            choice.choose(id)
        }
        feed.look()
    }

    public func start(delivering sink: any AudioSink) { feed.start(delivering: sink) }

    public func stop() { feed.stop() }

    /// Waits until the chosen microphone is open or has failed; after ``stop()``, until it is closed.
    package func settled() async { await feed.settled() }

    /// The sink of one open microphone: passes audio on while that microphone is the current one.
    // `feed` is written by init alone.
    private final class Gate: AudioSink, @unchecked Sendable {
        private let generation: Int
        private weak var feed: Feed?

        init(_ generation: Int, _ feed: Feed) {
            self.generation = generation
            self.feed = feed
        }

        func deliver(_ frame: AudioFrame) {
            guard let feed, feed.passes(generation, capturedAt: frame.timestamp) else { return }
            feed.sink?.deliver(frame)
        }
    }
}

extension MicrophoneChoice {
    /// The microphones to try in order: the current one, then those to use if it fails.
    fileprivate var candidates: [MediaDevice] {
        guard let current else { return [] }
        return [current] + list.filter { !$0.isSameInstance(as: current) }
    }
}
