internal import RTCWire

/// An HTTP request of a protocol step. The caller sends it, and passes the response back.
package struct OAuthRequest: Sendable, Hashable, Confidential {
    package enum Method: String, Sendable, Hashable {
        case get = "GET"
        case post = "POST"
    }

    package let method: Method
    package let address: WebAddress
    /// Header fields in addition to those of every request.
    package let headers: [Header]
    package let body: [UInt8]

    /// A header field. Its description is its name alone, because the value may be a secret.
    package struct Header: Sendable, Hashable, Confidential {
        package let name: String
        package let value: String

        package var description: String { name }
    }

    /// The maximum length of a response in bytes. Metadata and key sets of large providers are below 100 KB.
    package static let longestResponse = 1 << 20

    static func get(_ address: WebAddress, bearer: Secret? = nil) -> OAuthRequest {
        let headers = bearer.map { [Header(name: "Authorization", value: "Bearer \($0.value)")] } ?? []
        return OAuthRequest(
            method: .get, address: address, headers: [Header(name: "Accept", value: "application/json")] + headers,
            body: [])
    }

    static func post(
        _ address: WebAddress, _ parameters: [(name: String, value: String)], authorization: Secret? = nil
    ) -> OAuthRequest {
        var headers = [
            Header(name: "Accept", value: "application/json"),
            Header(name: "Content-Type", value: "application/x-www-form-urlencoded"),
        ]
        if let authorization { headers.append(Header(name: "Authorization", value: authorization.value)) }
        return OAuthRequest(
            method: .post, address: address, headers: headers, body: Array(FormEncoding.encode(parameters).utf8))
    }

    /// The method and the URL without its query. Headers, query and body may contain secrets.
    package var description: String { "\(method.rawValue) \(address.withoutQuery)" }
}

/// An HTTP response. Redirects are not followed.
package struct OAuthResponse: Sendable, Hashable, Confidential {
    package let status: Int
    package let body: [UInt8]
    /// The time in seconds for which the response may be cached (`Cache-Control: max-age`); `nil` if unknown.
    package let lifetime: Int64?

    package init(status: Int, body: [UInt8], lifetime: Int64? = nil) {
        self.status = status
        self.body = body
        self.lifetime = lifetime
    }

    /// Whether the failure is temporary, at the server or a proxy: the request may succeed later.
    var isTransient: Bool { (500..<600).contains(status) || status == 408 || status == 429 }

    /// How long a response may be cached, from its `Cache-Control`: RFC 9111, section 5.2.2.1.
    static func lifetime(_ directives: String) -> Int64? {
        for directive in directives.split(separator: ",") {
            let text = directive.drop { $0 == " " }.lowercased()
            if text.hasPrefix("max-age=") { return Int64(text.dropFirst("max-age=".count).prefix { $0 != " " }) }
        }
        return nil
    }

    /// The status and the length of the body.
    package var description: String { "status \(status), \(body.count) bytes" }
}
