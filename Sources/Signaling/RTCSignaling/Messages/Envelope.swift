/// A message with its sequence number and an acknowledgement.
package struct Envelope<Message: SignalingMessage>: Hashable, Sendable {
    /// The sequence number among the sender's messages of this session, from 1; `nil` for messages without one.
    package var seq: UInt64?
    /// The number of the last message that the sender has received.
    package var ack: UInt64?
    package var message: Message

    package init(_ message: Message, seq: UInt64? = nil, ack: UInt64? = nil) {
        self.message = message
        self.seq = seq
        self.ack = ack
    }

    /// Whether the message needs a number. One of an unknown type may have one.
    package var isNumbered: Bool { message.isNumbered ?? (seq != nil) }
}

/// A message of a client or of the server.
package protocol SignalingMessage: Hashable, Sendable {
    /// The value of the member `type`.
    var type: String { get }
    /// Whether messages of this type have a number; `nil` if that is unknown.
    var isNumbered: Bool? { get }

    /// Decodes a message.
    ///
    /// - Throws: An error if a member is missing or invalid.
    init(type: String, from decoder: any Decoder) throws
    init(malformed reason: MalformedMessage, type: String, call: CallID?)
    /// Encodes all members except `type`, `seq` and `ack`.
    func encodeMembers(to encoder: any Encoder) throws
}

private enum EnvelopeKey: String, CodingKey {
    case type, seq, ack, call
}

extension Envelope: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: EnvelopeKey.self)
        let type = try container.decode(String.self, forKey: .type)
        seq = try container.decodeIfPresent(UInt64.self, forKey: .seq)
        ack = try container.decodeIfPresent(UInt64.self, forKey: .ack)
        // A malformed message keeps its number, because the next ones would be out of sequence otherwise.
        do {
            message = try Message(type: type, from: decoder)
        } catch {
            let call = try? container.decodeIfPresent(CallID.self, forKey: .call)
            message = Message(malformed: MalformedMessage(error), type: type, call: call)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: EnvelopeKey.self)
        try container.encode(message.type, forKey: .type)
        try container.encodeIfPresent(seq, forKey: .seq)
        try container.encodeIfPresent(ack, forKey: .ack)
        try message.encodeMembers(to: encoder)
    }
}
