import RTCWire

/// Names of candidates that are asked for, and what anybody on the network says to that: as it comes, and as an answer that makes
/// sense or nearly.
func fuzzMulticastDNS(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var lookups = MulticastDNSLookups()
    var now = Instant.zero
    lookups.ask("8f2a-1.local", at: now)
    for _ in 0..<100 where !input.isEmpty {
        let choice = input.byte()
        switch choice % 8 {
        case 0: lookups.ask(input.text(limit: 80), needsNAT64: choice & 8 != 0, at: now)
        case 1: lookups.ask("host-\(input.byte()).local", at: now)
        case 2:
            now += .milliseconds(Int64(input.byte()) * 10)
            lookups.handleTimeout(at: now)
        case 3: lookups.receive(input.chunk(), from: responder(&input), at: now)
        default:
            let message = response(about: lookups.names, &input)
            lookups.receive(choice & 8 != 0 ? input.mutate(message) : message, from: responder(&input), at: now)
        }
    }
    // Whatever came, every question has its end.
    for _ in 0..<3 {
        now += .seconds(1)
        lookups.handleTimeout(at: now)
    }
    precondition(lookups.names.isEmpty, "a question without end")
}

private func responder(_ input: inout FuzzInput) -> TransportAddress {
    let choice = input.byte()
    var ip = choice & 1 == 0 ? IPAddress(192, 168, 1, choice) : IPAddress(v6High: 0xFE80_0000_0000_0000, low: 7)
    if ip.isIPv6 { ip.zone = 3 }
    return TransportAddress(ip: ip, port: choice & 0x0E == 0 ? 53 : 5_353)
}

/// A message of records about names that are asked for, or nearly.
private func response(about names: [String], _ input: inout FuzzInput) -> [UInt8] {
    let counts = input.byte()
    var message: [UInt8] = []
    for field: UInt16 in [0, 0x8400, UInt16(counts >> 6), UInt16(counts >> 3 & 7), 0, UInt16(counts & 7)] {
        message.append(bigEndian: field)
    }
    for _ in 0..<(counts >> 6) {
        appendName(names, &input, to: &message)
        message.append(bigEndian: UInt16(1))
        message.append(bigEndian: UInt16(1))
    }
    for _ in 0..<((counts >> 3 & 7) + (counts & 7)) where !input.isEmpty {
        appendName(names, &input, to: &message)
        let kind = input.byte()
        let data = address(kind, &input)
        message.append(bigEndian: [1, 28, 1, 28, 12, 16, 33, 47][Int(kind & 7)] as UInt16)
        message.append(bigEndian: (kind & 8 == 0 ? 0x8001 : 1) as UInt16)
        message.append(bigEndian: (kind & 16 == 0 ? 120 : UInt32(kind >> 5)) as UInt32)
        message.append(bigEndian: UInt16(truncatingIfNeeded: data.count))
        message += data
    }
    return message
}

private func address(_ kind: UInt8, _ input: inout FuzzInput) -> [UInt8] {
    switch kind & 7 {
    case 0, 2: [192, 168, 1, input.byte()]
    case 1: [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, input.byte()]
    case 3: (0..<16).map { _ in input.byte() }
    default: input.chunk(limit: 40)
    }
}

/// A name that is written out, one that a pointer leads to, or something else.
private func appendName(_ names: [String], _ input: inout FuzzInput, to message: inout [UInt8]) {
    let choice = input.byte()
    switch choice % 4 {
    case 0: message.append(bigEndian: UInt16(0xC00C))
    case 1: message.append(bigEndian: 0xC000 | (UInt16(input.byte()) << 8 | UInt16(input.byte())))
    case 2 where names.isEmpty: message += [0]
    case 2:
        for label in names[Int(choice >> 2) % names.count].split(separator: ".") {
            message.append(UInt8(truncatingIfNeeded: label.utf8.count))
            message += choice & 0x80 != 0 ? Array(label.uppercased().utf8) : Array(label.utf8)
        }
        message += choice & 0x40 != 0 ? [0xC0, 12] : [0]
    default:
        let label = input.chunk(limit: 70)
        message.append(UInt8(label.count))
        message += label + [5] + Array("local".utf8) + [0]
    }
}
