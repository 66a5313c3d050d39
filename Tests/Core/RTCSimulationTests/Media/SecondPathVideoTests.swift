import RTCMedia
import RTCPeer
import RTCSimulation
import RTCWire
import Testing

@Suite("Video on a second path")
struct SecondPathVideoTests {
    @Test(
        "It begins with a key frame: the rest of a frame whose beginning took the first path is no use",
        arguments: Seeds.few)
    func beginsWithKeyFrame(seed: UInt64) throws {
        let two = try TwoPathCall(seed: seed)
        // Near the capacity of 4 Mbit/s, frames leave over most of the time until the next one.
        for index in two.call.cameras.indices { two.call.cameras[index].bitrate = .megabits(4) }
        two.call.run(for: .seconds(20) + .milliseconds(Int64(seed) * 7))
        let observer = VideoObserver()
        observer.address = two.secondAddress
        let camera = try #require(two.call.cameras.first { $0.side == .alice })
        observer.source = two.pair.alice.peer.outgoingStatistics(camera.transceiver)?.ssrc
        two.pair.with(.bob) { peer, _ in peer.tap = observer }
        let died = two.pair.now
        two.block(true, .toBob)
        two.call.run(for: .seconds(2))
        let useless = observer.packetsBeforeKeyFrame
        if MediaReport.isWanted {
            print(
                "seed \(seed): \(useless) packets before the key frame, picture back after",
                two.pictureBack(at: .bob, since: died).milliseconds, "ms")
        }
        #expect(observer.hasKeyFrame && useless == 0, "\(useless) packets")
        #expect(two.pictureBack(at: .bob, since: died) <= .seconds(1))
    }
}

/// Counts the packets of video that arrive from an address before the first of a key frame.
private final class VideoObserver: PacketTap {
    var address: IPAddress?
    var source: SynchronizationSource?
    private(set) var packetsBeforeKeyFrame = 0
    private(set) var hasKeyFrame = false

    func packet(
        _ packet: UnsafeRawBufferPointer, kind: PacketKind, path: TransportPath, isOutgoing: Bool, at now: Instant
    ) {
        guard kind == .rtp, !isOutgoing, path.remote.ip == address, !hasKeyFrame else { return }
        let span = RawSpan(_unsafeBytes: packet)
        guard let header = RTPHeader(span), header.ssrc == source,
            let payload = header.payloadRange(in: span)
        else { return }
        let isKeyFrame = VideoDepacketizer.descriptor(of: span.extracting(payload), format: .vp8)?.isKeyFrame ?? false
        if isKeyFrame { hasKeyFrame = true } else { packetsBeforeKeyFrame += 1 }
    }
}
