/// The SHA-256 fingerprint of a certificate in DER.
public struct CertificateFingerprint: Sendable, Hashable {
    /// The 32 bytes of the digest.
    public let bytes: [UInt8]

    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Parses a fingerprint.
    ///
    /// - Parameter hexadecimal: 64 hexadecimal digits, with or without colons.
    public init?(hexadecimal: String) {
        let digits = hexadecimal.filter { $0 != ":" }
        guard digits.utf8.count == 64, digits.allSatisfy(\.isHexDigit) else { return nil }
        var bytes: [UInt8] = []
        var rest = Substring(digits)
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        self.init(bytes)
    }
}

/// The decision about a challenge.
package enum ChallengeDecision: Sendable, Hashable {
    /// Trust the server.
    case trust
    /// Cancel the load.
    case refuse
    /// Let the system handle the challenge, with its proposed credential if there is one.
    case performDefaultHandling
}

/// The trust in servers: that of the system, with exceptions for single certificates of single hosts.
public struct TrustPolicy: Sendable, Hashable {
    private var exceptions: [String: Set<CertificateFingerprint>] = [:]

    public init() {}

    /// Adds an exception for a certificate that the system does not trust: of a local device, or a server under test.
    ///
    /// - Parameters:
    ///   - certificate: The only accepted certificate.
    ///   - host: The host without a port.
    public mutating func allow(_ certificate: CertificateFingerprint, for host: String) {
        exceptions[host.lowercased(), default: []].insert(certificate)
    }

    package func decide(_ challenge: AuthenticationChallenge) -> ChallengeDecision {
        switch challenge.method {
        case .serverTrust(isTrusted: true, _): .trust
        case .serverTrust(isTrusted: false, let certificate):
            certificate.map { exceptions[challenge.host.lowercased()]?.contains($0) == true } == true ? .trust : .refuse
        default: .performDefaultHandling
        }
    }

    /// Whether TLS 1.0 and 1.1 are allowed: RFC 8996 forbids them.
    package let allowsDeprecatedTLS = false
}
