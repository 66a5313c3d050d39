import ArgumentParser
import RTCCrypto
import RTCMedia
import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire

/// How many packets of a call the receiver takes in a second on one core: unprotected, parsed, counted and put in order,
/// up to whole pictures. Without sockets and codecs; SRTP is the real one.
struct PacketPathBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "packets")

    @Option(help: "How many steps of 20 ms, of one picture in 22 packets each.")
    var steps = 5_000

    func run() throws {
        let crypto = BoringCrypto()
        let pair = try DirectMediaPair(Self.capabilities) { _ in
            (crypto, try Certificate.generate())
        }
        let video = try pair.sender.peer.addTrack(.video, trackID: "picture", at: pair.now)
        pair.run(for: .seconds(1))
        guard pair.sender.peer.isSending(video) else { throw ValidationError("the pair does not connect") }
        var (count, packets, taken) = (0, 0, 0)
        var (receiving, sending) = (Duration.zero, Duration.zero)
        func step() {
            count += 1
            let isKey = count == 1 || pair.sender.needsKeyFrame
            pair.sender.needsKeyFrame = false
            let picture = SyntheticVideo.frame(
                SyntheticVideo.Mark(number: count, reference: isKey ? nil : count - 1), format: .vp8, size: 24_000,
                timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: count * 1_800)))
            let start = ContinuousClock.now
            pair.sender.peer.send(picture, captureTime: pair.now, on: video, at: pair.now)
            packets += pair.collect()
            let sent = ContinuousClock.now
            pair.deliver()
            receiving += ContinuousClock.now - sent
            sending += sent - start
            pair.receiver.peer.handleTimeout(at: pair.now)
            _ = pair.transmit(pair.receiver)
            pair.takeEvents()
        }
        for _ in 0..<200 { step() }
        (packets, receiving, sending, taken) = (0, .zero, .zero, pair.receiver.pictures)
        for _ in 0..<steps { step() }
        print(
            """
            {"benchmark":"packets","packets":\(packets),"pictures":\(pair.receiver.pictures - taken),\
            "receivedPerSecond":\(Int(Double(packets) / receiving.inSeconds)),\
            "sentPerSecond":\(Int(Double(packets) / sending.inSeconds))}
            """)
    }

    private static let capabilities = MediaCapabilities(
        codecs: [
            RTPCodec(
                kind: .video, name: "VP8", clockRate: 90_000,
                feedback: ["nack", "nack pli", "ccm fir", "goog-remb", "transport-cc"])
        ], headerExtensions: RTPHeaderExtension.allCases.map(\.uri))
}

extension Duration {
    fileprivate var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
