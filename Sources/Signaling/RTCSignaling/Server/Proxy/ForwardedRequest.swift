internal import RTCWire

/// What trusted proxies report of a request: its client, and the host and scheme of its URL.
struct ForwardedRequest: Equatable {
    /// The client's address: the rightmost one that is not trusted, or the leftmost if all are; `nil` if it is unknown.
    var client: IPAddress?
    /// The `Host` that the client sent.
    var host: String?
    /// `http` or `https`.
    var scheme: String?
    /// The number of malformed values, which are ignored.
    var malformedCount = 0

    /// The values of the fields of a request, each in its order.
    struct Fields {
        var forwarded: [String] = []
        var forwardedFor: [String] = []
        var forwardedHost: [String] = []
        var forwardedProto: [String] = []
    }

    /// Reads the fields of a request from a trusted proxy.
    init(_ fields: Fields, from trust: ProxyTrust) {
        switch trust.header {
        case .none: return
        case .forwarded: read(fields.forwarded, trust.networks)
        case .xForwardedFor: read(fields, trust.networks)
        }
    }

    private mutating func read(_ fields: [String], _ trusted: TrustedNetworks) {
        guard let elements = ForwardedElement.parse(fields) else {
            malformedCount += 1
            return
        }
        for element in elements.reversed() {
            // Host and scheme are those that the last proxy has seen, towards the client.
            setHost(element.parameters["host"])
            setScheme(element.parameters["proto"])
            guard let name = element.parameters["for"], visit(name, trusted) else { return }
        }
    }

    private mutating func read(_ fields: Fields, _ trusted: TrustedNetworks) {
        setHost(Self.last(of: fields.forwardedHost))
        setScheme(Self.last(of: fields.forwardedProto))
        var size = 0
        for field in fields.forwardedFor.reversed() {
            size += field.utf8.count
            guard size <= ForwardedElement.maximumLength else {
                malformedCount += 1
                return
            }
            for name in field.split(separator: ",").reversed() {
                let name = Self.trimmed(name)
                guard name.isEmpty || visit(name, trusted) else { return }
            }
        }
    }

    /// Takes the next node, from the right.
    ///
    /// - Returns: Whether it is a trusted proxy, which has reported the node on its left.
    private mutating func visit(_ name: String, _ trusted: TrustedNetworks) -> Bool {
        switch ForwardedNode(name) {
        case .address(let address):
            client = address
            return trusted.contains(address)
        case .hidden: return false
        case nil:
            malformedCount += 1
            return false
        }
    }

    private mutating func setHost(_ value: String?) {
        guard let value else { return }
        let isValid =
            (1...261).contains(value.utf8.count)
            && value.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122: true
                default: ".-_:[]".utf8.contains(byte)
                }
            }
        if isValid { host = value } else { malformedCount += 1 }
    }

    private mutating func setScheme(_ value: String?) {
        switch value?.lowercased() {
        case "http", "ws": scheme = "http"
        case "https", "wss": scheme = "https"
        case nil: return
        default: malformedCount += 1
        }
    }

    /// The last element of a list: the one that the nearest proxy has written.
    private static func last(of fields: [String]) -> String? {
        guard let field = fields.last else { return nil }
        return trimmed(field.split(separator: ",", omittingEmptySubsequences: false).last ?? "")
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.utf8.first, first == 9 || first == 32 { text = text.dropFirst() }
        while let last = text.utf8.last, last == 9 || last == 32 { text = text.dropLast() }
        return String(text)
    }
}
