import RTCSimulation
import RTCTransport
import RTCWire

/// Packets for two SRTP sessions with the keys of one handshake: such as nobody sealed, genuine ones, damaged ones,
/// repeated ones, and jumps of the sequence number.
func fuzzSRTP(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let profile = SRTPProfile.allCases[input.number(below: SRTPProfile.allCases.count)]
    let material = (0..<profile.keyingMaterialLength).map { UInt8(truncatingIfNeeded: $0 &* 11) }
    let crypto = StandInCrypto(seed: 1)
    guard let senderKeys = SRTPKeyingMaterial(profile: profile, material: material, role: .client),
        let receiverKeys = SRTPKeyingMaterial(profile: profile, material: material, role: .server),
        var sender = try? SRTPSession(keyingMaterial: senderKeys, crypto: crypto),
        var receiver = try? SRTPSession(keyingMaterial: receiverKeys, crypto: crypto)
    else { preconditionFailure("no session comes of good keys") }
    var sequenceNumber: UInt16 = 0
    var latest: [UInt8] = []
    while !input.isEmpty {
        switch input.number(below: 6) {
        case 0:
            receive(input.chunk(limit: 2_200), by: &receiver)
        case 1:
            receive(input.mutate(latest), by: &receiver)
        case 2:
            receive(latest, by: &receiver)
        case 3:
            sequenceNumber &+= UInt16(input.byte()) << 8 | UInt16(input.byte())
        case 4:
            sequenceNumber &+= 1
            var packet: [UInt8] = [0x80, 96, UInt8(sequenceNumber >> 8), UInt8(sequenceNumber & 255)]
            packet += [0, 0, 0, 0, 0, 0, 0, input.byte()] + input.chunk()
            latest = send(packet, by: &sender) { $0.protectRTP($1, count: $2) } ?? latest
        default:
            let packet = [0x80, 200, 0, 1] + input.chunk()
            latest = send(packet, by: &sender) { $0.protectRTCP($1, count: $2) } ?? latest
        }
    }
    let counters = receiver.counters
    precondition(counters.accepted <= sender.counters.protected, "more was accepted than was sent")
}

private func receive(_ packet: [UInt8], by session: inout SRTPSession) {
    var rtp = [UInt8](repeating: 0, count: packet.count)
    let size = packet.withUnsafeBytes { packet in
        rtp.withUnsafeMutableBytes { session.unprotectRTP(packet, into: $0) }
    }
    if let count = size {
        precondition(count == packet.count - session.rtpOverhead, "an RTP packet of the wrong length")
        let header = rtp.withUnsafeBytes { RTPHeader(RawSpan(_unsafeBytes: $0)) }
        precondition(header.map { $0.length <= count } ?? false, "an RTP packet without a header")
    }
    var rtcp = packet
    if let count = rtcp.withUnsafeMutableBytes({ session.unprotectRTCP($0) }) {
        precondition(count == packet.count - session.rtcpOverhead && count >= 8, "an RTCP packet of the wrong length")
    }
}

/// The protected packet, or `nil` when the session refuses it.
private func send(
    _ packet: [UInt8], by session: inout SRTPSession,
    _ protect: (inout SRTPSession, UnsafeMutableRawBufferPointer, Int) -> Int?
) -> [UInt8]? {
    var memory = packet + [UInt8](repeating: 0, count: 24)
    let count = memory.withUnsafeMutableBytes { protect(&session, $0, packet.count) }
    return count.map { Array(memory[..<$0]) }
}
