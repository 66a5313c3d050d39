import NATS

/// A server's bytes in two cuts: the operations are the same, and what is kept is bounded.
func fuzzNATS(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var limits = ProtocolLimits()
    limits.payload = 512
    limits.headers = 256
    limits.announcedPayload = 4_096
    let size = 1 + input.number(below: 64)
    let stream = input.rest()
    let whole = parse([stream[...]], limits)
    let chunks = stride(from: 0, to: stream.count, by: size).map { stream[$0..<min($0 + size, stream.count)] }
    precondition(parse(chunks, limits) == whole, "cuts change what is understood")
    for operation in whole.operations {
        guard case .message(_, let message) = operation else { continue }
        precondition(message.payload.count <= limits.payload, "larger than the limit")
        // What was received can be sent, and is received again as it was.
        guard message.status == nil else { continue }
        var received: [UInt8] = []
        ClientOperation.publish(
            message.subject, reply: message.reply, headers: message.headers, payload: message.payload
        )
        .write(to: &received)
        let line = received.prefix { $0 != 0x0D }
        precondition(!line.contains(0x0A), "a subject ends its line")
        var headers = NATSHeaders()
        for field in message.headers.fields {
            precondition((try? headers.append(field.name, field.value)) != nil, "a header cannot be sent: \(field)")
        }
    }
    precondition(whole.kept <= limits.infoLine + stream.count, "kept without bound")
}

private struct Parsed: Equatable {
    var operations: [ServerOperation] = []
    var violation: ServerViolation?
    var kept = 0
}

private func parse(_ chunks: [ArraySlice<UInt8>], _ limits: ProtocolLimits) -> Parsed {
    var parser = ServerParser(limits: limits)
    var parsed = Parsed()
    for chunk in chunks {
        parser.append(chunk)
        do throws(ServerViolation) {
            while let operation = try parser.next() { parsed.operations.append(operation) }
        } catch {
            parsed.violation = error
            return parsed
        }
    }
    parsed.kept = parser.unconsumed
    return parsed
}
