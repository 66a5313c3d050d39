import RTCMedia
import RTCWire
import Testing

@testable import RTCPeer

@Suite("A sender that has taken pictures back")
struct AwaitedKeyFrameTests {
    @Test("leaves out what was made before the next key frame, for a second at most")
    func awaited() {
        let media = OutgoingMedia(
            transceiver: TransceiverID(rawValue: 1), kind: .video, ssrc: SynchronizationSource(1),
            retransmissionSSRC: nil)
        #expect(media.takes(isKeyFrame: false, at: .zero))
        media.awaitKeyFrame(at: .zero)
        #expect(!media.takes(isKeyFrame: false, at: .zero + .milliseconds(40)))
        #expect(media.takes(isKeyFrame: true, at: .zero + .milliseconds(80)))
        #expect(media.takes(isKeyFrame: false, at: .zero + .milliseconds(120)))
        media.awaitKeyFrame(at: .zero + .milliseconds(200))
        #expect(!media.takes(isKeyFrame: false, at: .zero + .milliseconds(1_199)))
        #expect(media.takes(isKeyFrame: false, at: .zero + .milliseconds(1_200)))
    }
}
