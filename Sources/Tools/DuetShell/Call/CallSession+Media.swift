import Foundation
import RTC
import RTCFrames
import Synchronization
import WebRTCKit

extension CallSession {
    // MARK: Received media

    /// Sends received video to all sinks.
    func show(_ track: WRKRTCVideoTrack) {
        guard let number = call?.number else { return }
        track.add(
            PictureWatch { [feed] frame, count in
                let now = ContinuousClock.now
                feed.yield(.media(number, count == 1 ? .firstPicture(frame, at: now) : .movingPicture(at: now)))
            })
        for sink in sinks.video { track.add(sink) }
    }

    /// Sends received audio to all sinks, except the loudspeaker, to which the kit plays.
    func play(_ track: WRKRTCAudioTrack) {
        guard let number = call?.number else { return }
        track.add(SoundWatch { [feed] in feed.yield(.media(number, .firstSound(at: .now))) })
        for sink in sinks.audio { track.add(sink) }
    }

    func handle(_ input: CallMediaInput) {
        guard let call else { return }
        switch input {
        case .firstPicture(let frame, let time):
            guard call.firstPictureAt == nil else { return }
            self.call?.firstPictureAt = time
            self.call?.summary.firstPicture = call.milliseconds(time)
            reporter.show(
                .firstPicture(
                    milliseconds: call.milliseconds(time), at: CurrentCall.clock(time), width: frame.width,
                    height: frame.height))
        case .movingPicture(let time):
            guard call.summary.movingPicture == nil else { return }
            self.call?.summary.movingPicture = call.milliseconds(time)
            reporter.show(.movingPicture(milliseconds: call.milliseconds(time), at: CurrentCall.clock(time)))
        case .firstSound(let time):
            guard call.summary.firstSound == nil else { return }
            self.call?.summary.firstSound = call.milliseconds(time)
            reporter.show(.firstSound(milliseconds: call.milliseconds(time)))
        case .chatOpen: for text in settings.chat { sendChat(text) }
        case .chat(let text):
            call.chat?.shown()
            reporter.show(.chat(from: call.peerName, text))
        }
    }

    // MARK: Chat

    /// - Parameter isOpen: Whether it is open already, like a channel of the peer.
    func openChat(_ channel: WRKDataChannel, isOpen: Bool) async {
        guard let number = call?.number else { return }
        let chat = ChatChannel(channel) { [feed] in feed.yield(.media(number, $0)) }
        call?.chat = chat
        if isOpen { feed.yield(.media(number, .chatOpen)) }
        await channel.setDelegate(chat)
    }

    func sendChat(_ text: String) {
        guard let chat = call?.chat else {
            return reporter.show(.trouble("there is nobody to send a message to"))
        }
        if chat.send(text) {
            reporter.show(.chatSent(text))
        } else {
            reporter.show(.trouble("the message was not sent: its channel is not open, or too much waits"))
        }
    }
}

/// The data channel for chat messages; the caller opens it.
final class ChatChannel: RTCDataChannelDelegate {
    static let label = "chat"
    /// The maximum number of texts that wait to be shown; more are dropped.
    static let mostWaiting = 64

    private let channel: WRKDataChannel
    private let tell: @Sendable (CallMediaInput) -> Void
    private let waiting = Atomic(0)

    init(_ channel: WRKDataChannel, tell: @escaping @Sendable (CallMediaInput) -> Void) {
        self.channel = channel
        self.tell = tell
    }

    /// - Returns: Whether the channel accepted it.
    func send(_ text: String) -> Bool {
        channel.dataChannel.sendData(RTCDataBuffer(data: Data(text.utf8), isBinary: false))
    }

    func dataChannelDidChangeState(_ dataChannel: RTCDataChannel) {
        if dataChannel.readyState == .open { tell(.chatOpen) }
    }

    func dataChannel(_ dataChannel: RTCDataChannel, didReceiveMessageWith buffer: RTCDataBuffer) {
        guard !buffer.isBinary, waiting.load(ordering: .relaxed) < Self.mostWaiting else { return }
        waiting.add(1, ordering: .relaxed)
        tell(.chat(String(decoding: buffer.data, as: UTF8.self)))
    }

    /// Called when a text was shown.
    func shown() { waiting.subtract(1, ordering: .relaxed) }
}

/// Reports the first and the second frame.
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

/// Reports the first audio.
private final class SoundWatch: AudioSink {
    private let hasCome = Atomic(false)
    private let tell: @Sendable () -> Void

    init(_ tell: @escaping @Sendable () -> Void) {
        self.tell = tell
    }

    func deliver(_ frame: AudioFrame) {
        // Before anything is received, silence is played.
        guard frame.samples.contains(where: { $0 != 0 }) else { return }
        if !hasCome.exchange(true, ordering: .relaxed) { tell() }
    }
}
