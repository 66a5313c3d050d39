/// Where a message stands in its stream and in the deliveries of its consumer. The subject for its acknowledgement has that
/// (ADR-15): `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<time>.<pending>`, or the same with
/// `<domain>.<account>` after `ACK`, and perhaps more at the end.
struct DeliveryMetadata: Hashable {
    var streamSequence: UInt64
    var consumerSequence: UInt64
    /// How many messages the consumer has still to deliver.
    var pending: UInt64

    init?(reply: NATSSubject?) {
        guard let reply else { return nil }
        let tokens = reply.text.split(separator: ".")
        guard tokens.count == 9 || tokens.count >= 11, tokens[0] == "$JS", tokens[1] == "ACK" else { return nil }
        let first = tokens.count == 9 ? 2 : 4
        guard let stream = Decimal.parse(tokens[first + 3].utf8), let consumer = Decimal.parse(tokens[first + 4].utf8),
            let pending = Decimal.parse(tokens[first + 6].utf8)
        else { return nil }
        streamSequence = stream
        consumerSequence = consumer
        self.pending = pending
    }
}
