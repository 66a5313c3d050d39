/// A sign-in on another device (RFC 8628): this device shows a short code, and polls the server until it was entered.
public struct DeviceAuthorization: Sendable, Hashable {
    /// The code to enter, without letters that look alike.
    public let userCode: String
    /// The URL at which to enter the code.
    public let verificationAddress: WebAddress
    /// The URL with the code in it, for a link or a QR code.
    public let completeVerificationAddress: WebAddress?
    public let expiry: UnixTime
    let deviceCode: Secret
    private let issuer: Issuer
    /// The polling interval in seconds.
    private var interval: Int64
    /// The time of the next poll.
    package private(set) var nextPoll: UnixTime

    /// The default interval: section 3.2.
    private static let usualInterval: Int64 = 5
    private static let slowDown: Int64 = 5

    /// The device authorization request: section 3.1.
    ///
    /// - Throws: ``OAuthError`` `unsupported`.
    static func request(
        _ configuration: ClientConfiguration, _ metadata: ServerMetadata
    ) throws(OAuthError) -> OAuthRequest {
        guard let endpoint = metadata.deviceAuthorizationEndpoint else {
            throw OAuthError(.unsupported, "\(metadata.issuer) has no device login")
        }
        var parameters: [(name: String, value: String)] = []
        if !configuration.scopes.isEmpty {
            parameters.append(("scope", configuration.scopes.joined(separator: " ")))
        }
        parameters += configuration.resources.map { ("resource", $0) }
        return configuration.authenticatedPost(endpoint, parameters, metadata)
    }

    /// - Throws: ``OAuthError`` `badResponse`, `clientRefused`, `tokenRefused`.
    init(parsing response: OAuthResponse, of issuer: Issuer, now: UnixTime) throws(OAuthError) {
        guard response.status == 200 else {
            _ = try TokenResponse(parsing: response, of: issuer, grant: .device)
            throw OAuthError(.badResponse, "\(issuer) answers with status \(response.status)")
        }
        guard let document = JSON(response.body), let code = document["device_code"]?.string,
            let userCode = document["user_code"]?.string, Self.isShown(userCode),
            let address = document["verification_uri"]?.string.flatMap(WebAddress.init), issuer.allows(address)
        else { throw OAuthError(.badResponse, "\(issuer) answers a device login without a code or an address") }
        let complete = document["verification_uri_complete"]?.string.flatMap(WebAddress.init)
        deviceCode = Secret(code)
        self.userCode = userCode
        self.issuer = issuer
        verificationAddress = address
        completeVerificationAddress = complete.flatMap { issuer.allows($0) ? $0 : nil }
        let lifetime = document["expires_in"]?.number.flatMap { UnixTime($0)?.seconds } ?? 900
        expiry = now + min(max(lifetime, 1), 3_600)
        let wished = document["interval"]?.number.flatMap { UnixTime($0)?.seconds } ?? Self.usualInterval
        interval = min(max(wished, 1), 60)
        nextPoll = now + interval
    }

    /// Whether a code can be printed, since it comes from the server: letters, digits and separators, and not too long to type.
    private static func isShown(_ code: String) -> Bool {
        (1...32).contains(code.utf8.count) && code.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// The request to send at ``nextPoll``: section 3.4.
    func poll(_ configuration: ClientConfiguration, _ metadata: ServerMetadata) -> OAuthRequest {
        configuration.authenticatedPost(
            metadata.tokenEndpoint,
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", deviceCode.value),
            ] + configuration.resources.map { ("resource", $0) }, metadata)
    }

    /// - Parameter response: `nil` if there was none, which makes the interval longer (section 3.5), as a 5xx does.
    /// - Returns: The tokens, or `nil` to poll again at ``nextPoll``.
    /// - Throws: ``OAuthError`` `deviceCodeExpired`, `accessDenied`, and those of a token response.
    mutating func handle(_ response: OAuthResponse?, now: UnixTime) throws(OAuthError) -> TokenResponse? {
        if let response {
            switch TokenResponse.pending(response) {
            case nil where response.isTransient: interval = min(interval * 2, 60)
            case nil: return try TokenResponse(parsing: response, of: issuer, grant: .device)
            case .pending: break
            case .slowDown: interval += Self.slowDown
            }
        } else {
            interval = min(interval * 2, 60)
        }
        guard now + interval < expiry else {
            throw OAuthError(.deviceCodeExpired, "nobody entered the code in time: begin again")
        }
        nextPoll = now + interval
        return nil
    }
}
