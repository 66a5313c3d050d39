/// A line of a ``SignalingServer``'s access log: a request, or a session's connection that has ended.
///
/// It has no query, no header field and no token.
public struct AccessRecord: Hashable, Sendable {
    public enum Event: Hashable, Sendable {
        /// A request with its path, cut to 200 bytes, and the status and length of the response.
        case request(method: String, path: String, status: Int, bytes: Int)
        /// A connection of a signed-in device has ended.
        case sessionEnded(user: String, seconds: Double, reason: String)
    }

    /// In seconds since 1970.
    public var time: Double
    /// The address of the client; `nil` if it is unknown.
    public var client: String?
    /// The address at the other end of the connection, if it is that of a proxy.
    public var proxy: String?
    public var event: Event

    package init(time: Double, client: String?, proxy: String? = nil, event: Event) {
        self.time = time
        self.client = client
        self.proxy = proxy
        self.event = event
    }

    /// The record as one JSON object in ASCII, without a line break.
    public var json: String {
        var members = [("time", Self.number(time))]
        switch event {
        case .request: members.append(("event", #""request""#))
        case .sessionEnded: members.append(("event", #""sessionEnded""#))
        }
        if let client { members.append(("client", Self.quoted(client))) }
        if let proxy { members.append(("proxy", Self.quoted(proxy))) }
        switch event {
        case .request(let method, let path, let status, let bytes):
            members += [
                ("method", Self.quoted(method)), ("path", Self.quoted(path)), ("status", "\(status)"),
                ("bytes", "\(bytes)"),
            ]
        case .sessionEnded(let user, let seconds, let reason):
            members += [
                ("user", Self.quoted(user)), ("seconds", Self.number(seconds)), ("reason", Self.quoted(reason)),
            ]
        }
        return "{" + members.map { #""\#($0.0)":\#($0.1)"# }.joined(separator: ",") + "}"
    }

    /// A number with milliseconds; 0 for what JSON cannot represent.
    private static func number(_ value: Double) -> String {
        let rounded = (value * 1_000).rounded()
        // Beyond 2^53, numbers are not exact.
        guard rounded.magnitude < 9e15 else { return "0" }
        return "\(rounded / 1_000)"
    }

    /// A string of JSON (RFC 8259, section 7) in which all but printable ASCII is escaped, so that no terminal interprets it.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x22: result += "\\\""
            case 0x5C: result += "\\\\"
            case 0x20...0x7E: result.unicodeScalars.append(Unicode.Scalar(UInt8(truncatingIfNeeded: unit)))
            default:
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result + "\""
    }
}
