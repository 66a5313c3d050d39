internal import RTCCrypto
public import RTCSignaling
public import RTCWire

/// The secrets by which a webhook's events are signed (Standard Webhooks 1.0, “Signature scheme”, symmetric). The receiver
/// knows one of them.
public struct WebhookSecrets: Sendable {
    private let keys: [[UInt8]]

    /// The length of a secret in bytes.
    private static let lengths = 24...64
    private static let prefix = "whsec_"
    /// While one secret replaces another, both sign.
    private static let most = 4

    /// Parses lines with a secret each, `whsec_` and 24 to 64 bytes as base64. `#` begins a comment.
    ///
    /// - Throws: ``SignalingServerError``, without the secret.
    public init(parsing text: String) throws(SignalingServerError) {
        var keys: [[UInt8]] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            guard let word = words.first else { continue }
            guard words.count == 1, word.hasPrefix(Self.prefix),
                let key = Base64.decode(word.dropFirst(Self.prefix.count)), Self.lengths.contains(key.count)
            else {
                throw .setting("line \(index + 1) is not “whsec_” and 24 to 64 bytes as base64")
            }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw .setting("there is no secret in it") }
        guard keys.count <= Self.most else { throw .setting("there are more than \(Self.most) secrets in it") }
        self.keys = keys
    }

    /// Returns the value of `webhook-signature`: a signature by each secret.
    ///
    /// - Parameter time: The value of `webhook-timestamp`, in seconds since 1970.
    func signature(of body: [UInt8], id: String, time: Int64) -> String {
        let signed = Array("\(id).\(time).".utf8) + body
        return keys.map { "v1,\(Base64.encode(MessageCode.hmacSHA256(key: $0, signed)))" }.joined(separator: " ")
    }
}

extension WebhookSecrets: Confidential {
    /// A description without the secrets, so that it can be logged.
    public var description: String { "\(keys.count) secrets" }
}
