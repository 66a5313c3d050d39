/// The user of an access token, from the user info endpoint: OpenID Connect Core 1.0, section 5.3, and older variants of it.
enum UserInfo {
    /// JSON cannot distinguish all whole numbers above this.
    private static let largestNumber = 9_007_199_254_740_991.0

    static func request(_ endpoint: WebAddress, _ token: Secret) -> OAuthRequest { .get(endpoint, bearer: token) }

    /// - Parameter member: The member that identifies the user.
    /// - Throws: ``OAuthError`` `badResponse`.
    static func identity(
        parsing response: OAuthResponse, of issuer: Issuer, subject member: String
    ) throws(OAuthError) -> Identity {
        guard response.status == 200, let document = JSON(response.body), case .object = document else {
            throw OAuthError(.badResponse, "\(issuer) does not say who it is: status \(response.status)")
        }
        guard let subject = text(document[member]), !subject.isEmpty, subject.utf8.count <= 255 else {
            throw OAuthError(.badResponse, "what \(issuer) says of the person has no “\(member)”")
        }
        return Identity(
            subject: subject, name: document["name"]?.string, preferredUsername: document["preferred_username"]?.string,
            email: document["email"]?.string)
    }

    private static func text(_ value: JSON?) -> String? {
        if let text = value?.string { return text }
        guard let number = value?.number, number.rounded() == number, abs(number) <= largestNumber else { return nil }
        return String(Int64(number))
    }
}
