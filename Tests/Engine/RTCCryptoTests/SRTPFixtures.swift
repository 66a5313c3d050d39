import RTCCrypto
import RTCTransport
import Testing

/// Bytes from hexadecimal digits; what is no digit is passed over.
func hex(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in text.compactMap(\.hexDigitValue).map(UInt8.init) {
        if let first = high {
            bytes.append(first << 4 | digit)
            high = nil
        } else {
            high = digit
        }
    }
    return bytes
}

/// A session that works on copies of the packets that it is given.
final class SRTPEnd {
    enum Operation { case protectRTP, unprotectRTP, protectRTCP, unprotectRTCP }

    private var session: SRTPSession

    init(_ material: SRTPKeyingMaterial) throws {
        session = try SRTPSession(keyingMaterial: material, crypto: BoringCrypto())
    }

    var counters: SRTPCounters { session.counters }

    func run(_ operation: Operation, _ packet: [UInt8]) -> [UInt8]? {
        let overhead = max(session.rtpOverhead, session.rtcpOverhead)
        let isSending = operation == .protectRTP || operation == .protectRTCP
        var memory = packet + [UInt8](repeating: 0, count: isSending ? overhead : 0)
        let size = memory.withUnsafeMutableBytes { memory in
            switch operation {
            case .protectRTP: session.protectRTP(memory, count: packet.count)
            case .protectRTCP: session.protectRTCP(memory, count: packet.count)
            case .unprotectRTP: packet.withUnsafeBytes { session.unprotectRTP($0, into: memory) }
            case .unprotectRTCP: session.unprotectRTCP(memory)
            }
        }
        return size.map { Array(memory[..<$0]) }
    }
}

/// Keying material whose two sides are given separately.
func keyingMaterial(
    _ profile: SRTPProfile, client: [UInt8], server: [UInt8]? = nil, as role: DTLSRole
) throws -> SRTPKeyingMaterial {
    let server = server ?? client.map { ~$0 }
    let length = profile.keyLength
    let material = client[..<length] + server[..<length] + client[length...] + server[length...]
    return try #require(SRTPKeyingMaterial(profile: profile, material: Array(material), role: role))
}

/// The end that seals with `key`, master key and salt one after the other.
func sealingEnd(_ profile: SRTPProfile, _ key: [UInt8]) throws -> SRTPEnd {
    try SRTPEnd(keyingMaterial(profile, client: key, as: .client))
}

/// The other end.
func openingEnd(_ profile: SRTPProfile, _ key: [UInt8]) throws -> SRTPEnd {
    try SRTPEnd(keyingMaterial(profile, client: key, as: .server))
}

/// A master key and salt of the right length.
func anyKey(_ profile: SRTPProfile) -> [UInt8] {
    (0..<profile.keyLength + profile.saltLength).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
}
