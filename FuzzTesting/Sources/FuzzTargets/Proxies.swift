@_spi(Testing) import RTCSignaling

/// The beginning of a connection, and the fields of a request, as a proxy may send them.
///
/// The first byte says whether the address that the fields end with is trusted, and where the fields are cut.
func fuzzProxies(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    fuzzHeader(rest, cut: Int(first))
    fuzzFields(rest, isLoopbackTrusted: first & 1 == 1)
}

private func fuzzHeader(_ bytes: [UInt8], cut: Int) {
    let read = ProxyParsing.headerLength(bytes)
    guard let length = read else {
        precondition(!ProxyParsing.isIncomplete(bytes) || bytes.count <= 4_096, "waits for ever")
        return
    }
    precondition(length > 0 && length <= min(bytes.count, 4_096), "a header of bytes that are not there")
    // The same header, whatever follows and however it arrives.
    precondition(ProxyParsing.headerLength(Array(bytes.prefix(length))) == length, "what follows matters")
    let part = Array(bytes.prefix(cut % length))
    precondition(ProxyParsing.isIncomplete(part), "a part of a header is refused, or taken for a whole one")
}

private func fuzzFields(_ bytes: [UInt8], isLoopbackTrusted: Bool) {
    let fields = bytes.split(separator: 0x0A, maxSplits: 7).map { String(decoding: $0, as: UTF8.self) }
    for header in [ProxyTrust.Header.forwarded, .xForwardedFor] {
        var trust = ProxyTrust()
        trust.header = header
        if isLoopbackTrusted { try? trust.networks.insert("127.0.0.0/8") }
        let request = ProxyParsing.request(fields, from: trust)
        precondition(request.malformed <= bytes.count + 3, "more faults than bytes: \(request.malformed)")
        if let client = request.client, header == .xForwardedFor {
            // An address comes from the fields, not from nowhere.
            precondition(!fields.isEmpty, "\(client) from nowhere")
        }
    }
}
