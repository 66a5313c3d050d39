/// What a client says. Every text in it is of a checked type, so that none can add a line or an argument.
package enum ClientOperation: Hashable, Sendable {
    /// A JSON object without line breaks.
    case connect([UInt8])
    case publish(NATSSubject, reply: NATSSubject?, headers: NATSHeaders, payload: [UInt8])
    /// `queue`: messages go to one of its members only.
    case subscribe(NATSSubjectFilter, queue: NATSSubject?, subscription: UInt64)
    /// `after`: how many messages the subscription has in all before it ends; `nil` for now.
    case unsubscribe(UInt64, after: UInt64? = nil)
    case ping
    case pong

    /// The bytes of a message as a server counts them against its limit.
    static func size(_ headers: NATSHeaders, _ payload: [UInt8]) -> Int {
        (headers.isEmpty ? 0 : headers.encoded.count) + payload.count
    }

    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    package func write(to bytes: inout [UInt8]) {
        switch self {
        case .connect(let json):
            assert(!json.contains { $0 == 0x0D || $0 == 0x0A })
            Self.line("CONNECT ", to: &bytes, end: false)
            bytes += json
            bytes += [0x0D, 0x0A]
        case .publish(let subject, let reply, let headers, let payload):
            let reply = reply.map { " \($0.text)" } ?? ""
            if headers.isEmpty {
                Self.line("PUB \(subject.text)\(reply) \(payload.count)", to: &bytes)
            } else {
                let block = headers.encoded
                Self.line("HPUB \(subject.text)\(reply) \(block.count) \(block.count + payload.count)", to: &bytes)
                bytes += block
            }
            bytes += payload
            bytes += [0x0D, 0x0A]
        case .subscribe(let filter, let queue, let subscription):
            Self.line("SUB \(filter.text)\(queue.map { " \($0.text)" } ?? "") \(subscription)", to: &bytes)
        case .unsubscribe(let subscription, let after):
            Self.line("UNSUB \(subscription)\(after.map { " \($0)" } ?? "")", to: &bytes)
        case .ping: Self.line("PING", to: &bytes)
        case .pong: Self.line("PONG", to: &bytes)
        }
    }

    private static func line(_ text: String, to bytes: inout [UInt8], end: Bool = true) {
        bytes.append(contentsOf: text.utf8)
        if end { bytes += [0x0D, 0x0A] }
    }
}
