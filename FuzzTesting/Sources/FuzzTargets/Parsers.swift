import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire

func fuzzSTUN(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { datagram in
        guard let message = STUNMessage(RawSpan(_unsafeBytes: datagram)) else { return }
        let crypto = StandInCrypto(seed: 1)
        // Everything that anybody reads of a message, whatever its class and method say.
        _ = (message.messageClass, message.method, message.transactionID, message.fingerprint, message.hasIntegrity)
        _ = message.verifyMessageIntegrity(key: [1, 2, 3], crypto: crypto)
        _ = message.verifyMessageIntegritySHA256(key: [1, 2, 3], crypto: crypto)
        _ = (message.username?.byteCount, message.mappedAddress, message.priority, message.useCandidate)
        _ = (message.iceControlling, message.iceControlled, message.error)
        precondition(message.unknownAttributes.count <= 16, "an answer could grow without bound")
        for type in UInt16(0)..<0x40 {
            for number in [type, type | 0x8000, type | 0xC000] {
                let type = STUNAttributeType(rawValue: number)
                _ = (message.text(type), message.xorAddress(type), message.uint32(type), message.uint64(type))
            }
        }
    }
}

func fuzzCandidate(_ bytes: [UInt8]) {
    guard let candidate = try? ICECandidate(parsing: String(decoding: bytes, as: UTF8.self)) else { return }
    // What was accepted can be said again, and then means the same.
    let text = candidate.description
    guard let again = try? ICECandidate(parsing: text) else { preconditionFailure("does not parse again: \(text)") }
    precondition(again == candidate, "means something else: \(text)")
}

func fuzzSDP(_ bytes: [UInt8]) {
    guard let description = try? SDP(parsing: String(decoding: bytes, as: UTF8.self)) else { return }
    let text = description.serialized
    guard let again = try? SDP(parsing: text) else { preconditionFailure("does not parse again: \(text)") }
    precondition(again == description, "means something else: \(text)")
    precondition(again.serialized == text, "is written in two ways: \(text)")
}
