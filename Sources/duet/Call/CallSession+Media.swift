import RTC
import RTCFrames
import Synchronization

extension CallSession {
    // MARK: What is received

    /// Gives a received track to all who want it.
    func receive(_ transceiver: RTPTransceiver) {
        guard let number = call?.number else { return }
        if let track = transceiver.receiver.track as? VideoTrack {
            let watch = PictureWatch { [feed] frame, count in
                let now = ContinuousClock.now
                feed.yield(.link(number, count == 1 ? .firstPicture(frame, at: now) : .movingPicture(at: now)))
            }
            track.add(watch)
            for sink in sinks.video { track.add(sink) }
        } else if let track = transceiver.receiver.track as? AudioTrack {
            track.add(SoundWatch { [feed] in feed.yield(.link(number, .firstSound(at: .now))) })
            for sink in sinks.audio { track.add(sink) }
        }
    }

    func handleMedia(_ input: CallLinkInput) async {
        guard let call else { return }
        switch input {
        case .firstPicture(let frame, let time):
            guard call.firstPictureAt == nil else { return }
            self.call?.firstPictureAt = time
            self.call?.summary.firstPicture = call.milliseconds(time)
            reporter.show(
                .firstPicture(
                    milliseconds: call.milliseconds(time), at: call.clock(time), width: frame.width,
                    height: frame.height))
        case .movingPicture(let time):
            guard call.summary.movingPicture == nil else { return }
            self.call?.summary.movingPicture = call.milliseconds(time)
            reporter.show(.movingPicture(milliseconds: call.milliseconds(time), at: call.clock(time)))
        case .firstSound(let time):
            guard call.summary.firstSound == nil else { return }
            self.call?.summary.firstSound = call.milliseconds(time)
            reporter.show(.firstSound(milliseconds: call.milliseconds(time)))
        case .chatOpen(let channel):
            self.call?.chatChannel = channel
            for text in settings.chat { await sendChat(text) }
        case .chat(let text): reporter.show(.chat(from: call.peerName, text))
        default: break
        }
    }

    // MARK: Chat

    /// Reads a channel to its end.
    func read(_ channel: DataChannel, of number: Int, isOpen: Bool) -> Task<Void, Never> {
        Task { [feed] in
            if !isOpen { guard (try? await channel.waitUntilOpen()) != nil else { return } }
            feed.yield(.link(number, .chatOpen(channel)))
            for await message in channel.messages {
                if case .text(let text) = message { feed.yield(.link(number, .chat(text))) }
            }
        }
    }

    func sendChat(_ text: String) async {
        guard let channel = call?.chatChannel else {
            return reporter.show(.trouble("there is nobody to send a message to"))
        }
        do {
            try await channel.send(text)
            reporter.show(.chatSent(text))
        } catch {
            reporter.show(.trouble("the message was not sent: \((error as? RTCError)?.message ?? "\(error)")"))
        }
    }
}

/// Tells of the first picture and of the second.
private final class PictureWatch: VideoSink {
    private let count = Atomic(0)
    private let tell: @Sendable (VideoFrame, Int) -> Void

    init(_ tell: @escaping @Sendable (VideoFrame, Int) -> Void) {
        self.tell = tell
    }

    func deliver(_ frame: VideoFrame) {
        let number = count.add(1, ordering: .relaxed).newValue
        if number <= 2 { tell(frame, number) }
    }
}

/// Tells of the first sound.
private final class SoundWatch: AudioSink {
    private let hasCome = Atomic(false)
    private let tell: @Sendable () -> Void

    init(_ tell: @escaping @Sendable () -> Void) {
        self.tell = tell
    }

    func deliver(_ frame: AudioFrame) {
        // What is played before anything has come is silence.
        guard frame.samples.contains(where: { $0 != 0 }) else { return }
        if !hasCome.exchange(true, ordering: .relaxed) { tell() }
    }
}
