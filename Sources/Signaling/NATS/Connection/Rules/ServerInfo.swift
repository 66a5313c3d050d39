/// What a server says of itself in INFO lines.
package struct NATSServerInfo: Hashable, Sendable {
    /// The server's identity, which changes when it starts again.
    package var serverID = ""
    package var serverName = ""
    package var version = ""
    package var cluster: String?
    /// The largest message that it accepts, headers included, in bytes.
    package var maximumPayload = 1_048_576
    package var supportsHeaders = false
    package var supportsJetStream = false
    /// The connection has to be secured before anything else is said.
    package var requiresTLS = false
    /// The connection can be secured.
    package var offersTLS = false
    /// It will close its connections soon, one after another.
    package var isLameDuck = false
    /// Servers of the cluster.
    var advertised: [NATSServer] = []

    static let maximumAdvertised = 64
    /// Beyond what any server can be configured for.
    private static let largestPayload: Int64 = 1 << 30

    /// Whether a compare-and-set of a bucket on several servers is one. Until 2.9.20 the leader compared with what was stored, not
    /// with what was being written, so that two writers could succeed (nats-server, issue 4320); from 2.11 on a new leader also
    /// waits until it has what the old one had acknowledged.
    var hasReplicatedCompareAndSet: Bool {
        let numbers = version.split(separator: ".").prefix(2).map { Decimal.parse($0.utf8) ?? 0 }
        guard numbers.count == 2 else { return false }
        return numbers[0] > 2 || numbers[0] == 2 && numbers[1] >= 11
    }

    init() {}

    /// - Returns: `nil` for no valid INFO.
    init?(json: [UInt8]) {
        guard let fields = JSONCoding.decode(Fields.self, from: json), let identity = fields.server_id,
            let payload = fields.max_payload, payload > 0
        else { return nil }
        serverID = ReadableText.of(identity)
        serverName = ReadableText.of(fields.server_name ?? "")
        version = ReadableText.of(fields.version ?? "")
        cluster = fields.cluster.map { ReadableText.of($0) }
        maximumPayload = Int(min(payload, Self.largestPayload))
        supportsHeaders = fields.headers ?? false
        supportsJetStream = fields.jetstream ?? false
        requiresTLS = fields.tls_required ?? false
        offersTLS = requiresTLS || fields.tls_available ?? false
        isLameDuck = fields.ldm ?? false
        advertised = (fields.connect_urls ?? []).prefix(Self.maximumAdvertised).compactMap { NATSServer(authority: $0) }
    }

    private struct Fields: Decodable {
        var server_id: String?
        var server_name: String?
        var version: String?
        var cluster: String?
        var max_payload: Int64?
        var headers: Bool?
        var jetstream: Bool?
        var tls_required: Bool?
        var tls_available: Bool?
        var ldm: Bool?
        var connect_urls: [String]?
    }
}
