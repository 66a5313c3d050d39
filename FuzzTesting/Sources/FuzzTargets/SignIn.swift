import OAuth
import RTCWire

private let issuer = try? Issuer("https://id.example.org")
private let redirects = ["com.example.app:/done", "https://app.example.org/done", "http://127.0.0.1:4711/done"]
    .compactMap { try? RedirectURI($0) }

/// One address that a browser was sent to, for a login that waits for it.
func fuzzRedirect(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let issuer, let metadata = try? ServerMetadata(parsing: sampleMetadata, of: issuer) else {
        preconditionFailure("the sample does not parse")
    }
    for redirect in redirects {
        let configuration = ClientConfiguration(issuer: issuer, clientID: "app", redirect: redirect)
        guard
            let request = try? AuthorizationRequest(
                configuration, redirect: redirect, metadata: metadata, now: UnixTime(seconds: 0),
                random: SeededRandom(seed: 1))
        else { preconditionFailure("no login can be begun") }
        var pending = PendingAuthorizations()
        pending.begin(request)
        // The redirect as it should be, and behind it whatever comes: nothing of it may trap, and nobody guesses a
        // state.
        for url in [text, redirect.string + text, redirect.string + "?" + text, redirect.string + "#" + text] {
            precondition(pending.accepts(url, of: request) == false, "a guessed state was accepted: \(url)")
            _ = redirect.matches(url)
        }
    }
    if let redirect = try? RedirectURI(text) { precondition(redirect.matches(text), "it is not itself: \(text)") }
}

/// A server's metadata, its keys, a token of its, and its answers.
func fuzzDiscovery(_ bytes: [UInt8]) {
    guard let issuer else { return }
    if let metadata = try? ServerMetadata(parsing: bytes, of: issuer) {
        precondition(metadata.issuer == issuer)
        precondition(metadata.tokenEndpoint.hasScheme("https"), "an endpoint in the clear")
    }
    SignInParsers.parse(bytes, of: issuer)
    if let other = try? Issuer(String(decoding: bytes, as: UTF8.self)) {
        var discovery = Discovery(of: other, isOpenID: bytes.count % 2 == 0)
        while let request = discovery.next() { precondition(request.address.fragment == nil) }
    }
}

private let sampleMetadata = Array(
    """
    {"issuer":"https://id.example.org","authorization_endpoint":"https://id.example.org/a",
    "token_endpoint":"https://id.example.org/t"}
    """.utf8)
