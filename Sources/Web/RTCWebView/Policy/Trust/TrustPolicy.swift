/// The SHA-256 digest of a certificate's DER form: RFC 6125 says nothing of it; it is what an exception names.
public struct CertificateFingerprint: Sendable, Hashable {
    /// 32 of them.
    public let bytes: [UInt8]

    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// - Parameter hexadecimal: 64 digits, with or without colons.
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

/// What becomes of a challenge.
public enum ChallengeDecision: Sendable, Hashable {
    /// The server is who it says.
    case trust
    /// The load fails.
    case refuse
    /// The system does what it does by itself, with the proposed credential where there is one.
    case performDefaultHandling
}

/// Whom to believe: what the system's evaluation says, and nothing else, but for hosts that the app's code excepts, each by the
/// very certificate.
public struct TrustPolicy: Sendable, Hashable {
    private var exceptions: [String: Set<CertificateFingerprint>] = [:]

    public init() {}

    /// Lets a host show a certificate that the system does not trust: a device in the same room, a server under test.
    ///
    /// - Parameters:
    ///   - certificate: No other one passes.
    ///   - host: Without a port.
    public mutating func allow(_ certificate: CertificateFingerprint, for host: String) {
        exceptions[host.lowercased(), default: []].insert(certificate)
    }

    public func decide(_ challenge: AuthenticationChallenge) -> ChallengeDecision {
        switch challenge.method {
        case .serverTrust(isTrusted: true, _): .trust
        case .serverTrust(isTrusted: false, let certificate):
            certificate.map { exceptions[challenge.host.lowercased()]?.contains($0) == true } == true ? .trust : .refuse
        default: .performDefaultHandling
        }
    }

    /// TLS 1.0 and 1.1: RFC 8996 says they must not be used.
    public let allowsDeprecatedTLS = false
}
