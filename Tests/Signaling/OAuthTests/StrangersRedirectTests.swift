import Synchronization
import Testing

@testable import OAuth

#if os(Linux)
    import Glibc
#endif

@Suite("Redirects of those who do not know the login", .timeLimit(.minutes(1)))
struct StrangersRedirectTests {
    @Test("An address names a login by its state, whatever else is wrong with it")
    func names() throws {
        func names(_ rest: String) throws -> Bool {
            AuthorizationResponse.names(
                Secret("s3cret"), in: try #require(WebAddress("http://127.0.0.1:80/done\(rest)")))
        }
        for rest in [
            "?code=c&state=s3cret", "?state=s3cret", "?state=s3cret&state=again", "?error=x&st%61te=s3cret",
            "#state=s3cret",
            "?state=s3cret&broken=%zz",
        ] { #expect(try names(rest), "\(rest)") }
        for rest in ["", "?", "?code=c", "?state=", "?state=s3cre", "?state=S3CRET", "?code=s3cret", "?xstate=s3cret"] {
            #expect(try !names(rest), "\(rest)")
        }
    }

    #if os(Linux)
        @Test("At the listening port only the login's own redirect ends it")
        func port() async throws {
            let provider = try FakeProvider()
            let client = OAuthClient(
                try .sample(redirect: "http://127.0.0.1/done"), transport: provider, store: MemoryTokenStore(),
                now: { provider.now })
            let answers = Mutex<[String]>([])
            let browser = FakeBrowser { start in
                let page = Self.location(Self.get(start))
                let redirect = FormEncoding.decode(WebAddress(page)?.query ?? "")?["redirect_uri"] ?? ""
                for query in ["?code=1&state=guess", "?error=access_denied", "?access_token=1&state="] {
                    answers.withLock { $0.append(String(Self.get(redirect + query).prefix(12))) }
                }
                answers.withLock { $0.append(String(Self.get(provider.authorize(page)).prefix(12))) }
                try await Task.sleep(for: .seconds(30))
                return ""
            }
            #expect(try await client.signIn(using: browser)?.subject == "alice")
            let refused = "HTTP/1.1 404"
            #expect(answers.withLock { $0 } == [refused, refused, refused, "HTTP/1.1 200"])
        }

        private static func location(_ answer: String) -> String {
            let line = answer.split(separator: "\r\n").first { $0.lowercased().hasPrefix("location:") }
            return line.map { String($0.dropFirst("location: ".count)) } ?? ""
        }

        /// One request to a port of this machine, and all that is answered.
        private static func get(_ url: String) -> String {
            guard let address = WebAddress(url), let port = address.port else { return "" }
            let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(file) }
            var end = sockaddr_in()
            end.sin_family = sa_family_t(AF_INET)
            end.sin_port = in_port_t(port).bigEndian
            end.sin_addr.s_addr = inet_addr("127.0.0.1")
            let isConnected = withUnsafePointer(to: &end) { end in
                end.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isConnected else { return "" }
            let path = address.path + (address.query.map { "?" + $0 } ?? "")
            let request = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8)
            guard send(file, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return "" }
            var (answer, part) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
            while true {
                let count = recv(file, &part, part.count, 0)
                guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
                answer += part[..<count]
            }
        }
    #endif
}
