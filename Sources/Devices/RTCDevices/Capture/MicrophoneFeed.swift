public import RTCFrames
import RTCWire
import Synchronization

/// The microphone of a call: sound of the microphone that was connected last, or that the person chose.
///
/// A microphone that is unplugged or fails is an event, and the next one takes over. Other sound begins where the former
/// one's ended; nothing of the call is negotiated anew.
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

    /// - Parameters:
    ///   - cameras: With whose camera in use its own microphone is offered.
    ///   - processing: What is done to the sound on the way.
    ///   - system: What opens microphones; the machine's, if left out.
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
                canOpenWhileClosing: backend.canOpenWhileClosing))
        self.feed = feed
        // Another camera is no reason to use another microphone, and so there is nothing to look at.
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

    /// What is chosen now, as a value to ask.
    public var choice: MicrophoneChoice { link.choice.withLock { $0 } }

    /// The microphone whose sound comes now; `nil` while none does.
    public var device: MediaDevice? { feed.device }

    /// What happens to the microphone from now on.
    public func events() -> AsyncStream<DeviceFeedEvent> { feed.events.stream() }

    /// The person has chosen this microphone. One that is not connected changes nothing.
    public func choose(_ id: DeviceID) {
        link.choice.withLock { choice in
            // It may have been chosen from the list before news of it have come here.
            choice.update(devices.microphones)
            choice.choose(id)
        }
        feed.look()
    }

    public func start(delivering sink: any AudioSink) { feed.start(delivering: sink) }

    public func stop() { feed.stop() }

    /// Returns when the microphone that is wanted now is open, or has failed; or when it is closed, after ``stop()``.
    public func settled() async { await feed.settled() }

    /// What one open microphone delivers to: it lets sound pass while that microphone is the one.
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
    /// What may be used now: the current one, and behind it what comes next if that fails.
    fileprivate var candidates: [MediaDevice] {
        guard let current else { return [] }
        return [current] + list.filter { !$0.isSameInstance(as: current) }
    }
}
