import RTCWire
import Testing

@testable import RTCSignaling

@Suite("What proxies report of a request")
struct ForwardedRequestTests {
    private func trust(_ header: ProxyTrust.Header) throws -> ProxyTrust {
        var trust = ProxyTrust()
        trust.networks = try TrustedNetworks(["10.0.0.0/8", "fd00::/8"])
        trust.header = header
        return trust
    }

    private func read(for fields: String...) throws -> ForwardedRequest {
        ForwardedRequest(ForwardedRequest.Fields(forwardedFor: fields), from: try trust(.xForwardedFor))
    }

    private func read(forwarded fields: String...) throws -> ForwardedRequest {
        ForwardedRequest(ForwardedRequest.Fields(forwarded: fields), from: try trust(.forwarded))
    }

    @Test("X-Forwarded-For: the rightmost address that is not trusted is the client")
    func rightmost() throws {
        for (field, client) in [
            ("192.0.2.1", "192.0.2.1"), ("198.51.100.1, 192.0.2.1", "192.0.2.1"),
            ("198.51.100.1,192.0.2.1 ,\t10.0.0.2", "192.0.2.1"), ("10.0.0.3, 10.0.0.2", "10.0.0.3"),
            ("192.0.2.1:4711", "192.0.2.1"), ("[2001:db8::1]:4711", "2001:db8::1"), ("2001:db8::1", "2001:db8::1"),
            ("::ffff:192.0.2.1", "192.0.2.1"), ("192.0.2.1, fd00::1", "192.0.2.1"), (",192.0.2.1, ,", "192.0.2.1"),
            // Whatever a client writes on the left of its address.
            ("\"\\, garbage, <script>, 192.0.2.1", "192.0.2.1"), ("unknown, 192.0.2.1", "192.0.2.1"),
        ] {
            let request = try read(for: field)
            #expect(request.client == IPAddress(client), "\(field)")
            #expect(request.malformedCount == 0, "\(field)")
        }
        #expect(try read(for: "198.51.100.1", "192.0.2.1", "10.0.0.2").client == IPAddress("192.0.2.1"), "three fields")
    }

    @Test("X-Forwarded-For: a malformed or unknown address on the way ends the search")
    func malformedFor() throws {
        for (field, client, count) in [
            ("192.0.2.1, 300.0.0.1", nil, 1), ("192.0.2.1, unknown", nil, 0), ("192.0.2.1, _hidden", nil, 0),
            ("192.0.2.1, garbage, 10.0.0.2", "10.0.0.2", 1), ("192.0.2.1:99999", nil, 1), ("192.0.2.1:", nil, 1),
            ("[192.0.2.1]", nil, 1), ("[2001:db8::1", nil, 1), ("fe80::1%eth0", nil, 1), ("", nil, 0), (",,,", nil, 0),
            (String(repeating: "1", count: 300), nil, 1),
        ] as [(String, String?, Int)] {
            let request = try read(for: field)
            #expect(request.client == client.flatMap { IPAddress($0) }, "\(field)")
            #expect(request.malformedCount == count, "\(field)")
        }
        #expect(try read(for: String(repeating: ",", count: 20_000)).malformedCount == 1, "too long")
        #expect(try read(for: "").malformedCount == 0)
    }

    @Test("X-Forwarded-Host and -Proto: the last value, if it is one")
    func hostAndScheme() throws {
        for (host, proto, expectedHost, expectedScheme, count) in [
            (["calls.example.org"], ["https"], "calls.example.org", "https", 0),
            (["evil.example, calls.example.org:8443"], ["http, HTTPS"], "calls.example.org:8443", "https", 0),
            (["a.example", "b.example"], ["http", "wss"], "b.example", "https", 0),
            (["[::1]:80"], ["ws"], "[::1]:80", "http", 0),
            (["a b"], ["gopher"], nil, nil, 2), ([""], [""], nil, nil, 2), (["a/b"], [], nil, nil, 1),
            ([], [], nil, nil, 0),
            ([String(repeating: "a", count: 262)], [], nil, nil, 1),
        ] as [([String], [String], String?, String?, Int)] {
            let fields = ForwardedRequest.Fields(forwardedHost: host, forwardedProto: proto)
            let request = ForwardedRequest(fields, from: try trust(.xForwardedFor))
            #expect(request.host == expectedHost, "\(host)")
            #expect(request.scheme == expectedScheme, "\(proto)")
            #expect(request.malformedCount == count, "\(host) \(proto)")
        }
    }

    /// The examples of RFC 7239, section 4, and what they mean here.
    @Test("Forwarded: elements, parameters and quotes")
    func forwarded() throws {
        for (field, client) in [
            ("for=\"_gazonk\"", nil), ("For=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17"),
            ("for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"),
            ("for=192.0.2.43, for=198.51.100.17", "198.51.100.17"),
            ("for=192.0.2.43, for=10.0.0.2", "192.0.2.43"), ("for=192.0.2.1;host=\"a,b;c\", for=10.0.0.2", "192.0.2.1"),
            ("for=192.0.2.1 ; proto=https ,, for=\"10.0.0.2:80\"", "192.0.2.1"), ("FOR=192.0.2.1;", "192.0.2.1"),
            ("for=\"192.0.2\\.1\"", "192.0.2.1"), ("for=[2001:db8::1]:80", "2001:db8::1"), ("by=10.0.0.1", nil),
            ("", nil),
        ] as [(String, String?)] {
            let request = try read(forwarded: field)
            #expect(request.client == client.flatMap { IPAddress($0) }, "\(field)")
        }
        let two = try read(forwarded: "for=198.51.100.1;host=evil.example", "for=192.0.2.1;host=a.example;proto=https")
        #expect(two.client == IPAddress("192.0.2.1") && two.host == "a.example" && two.scheme == "https")
        let inner = try read(forwarded: "for=192.0.2.1;host=a.example;proto=https, for=10.0.0.2;host=duet;proto=http")
        #expect(inner.host == "a.example" && inner.scheme == "https", "of the proxy that the client has reached")
    }

    @Test(
        "Forwarded: what is malformed is ignored as a whole, since it is unknown where an element begins",
        arguments: [
            "for=\"192.0.2.1", "for=\"198.51.100.1, for=192.0.2.1", "for", "for=", "=192.0.2.1",
            "for=192.0.2.1;for=192.0.2.2",
            "for=192.0.2.1 192.0.2.2", "for =192.0.2.1", "for= 192.0.2.1", "for=\"a\"b", "for=\"\\", "for=\"\u{1}\"",
            "for=(192.0.2.1)", "for=300.0.0.1", "for=\"\"",
        ])
    func malformedForwarded(field: String) throws {
        let request = try read(forwarded: field)
        #expect(request.client == nil)
        #expect(request.malformedCount == 1)
    }

    @Test("Forwarded: too much of it is malformed")
    func excess() throws {
        #expect(try read(forwarded: String(repeating: "a=b,", count: 65)).malformedCount == 1)
        let many = (0..<17).map { "p\($0)=1" }.joined(separator: ";")
        #expect(try read(forwarded: many).malformedCount == 1)
        #expect(try read(forwarded: "for=\"" + String(repeating: "a", count: 17_000) + "\"").malformedCount == 1)
    }

    @Test("A field that is not configured is not read")
    func otherFields() throws {
        let fields = ForwardedRequest.Fields(
            forwarded: ["for=198.51.100.1;host=evil.example"], forwardedFor: ["192.0.2.1"], forwardedHost: ["a.example"]
        )
        let usual = ForwardedRequest(fields, from: try trust(.xForwardedFor))
        #expect(usual.client == IPAddress("192.0.2.1"))
        #expect(usual.host == "a.example")
        let standard = ForwardedRequest(fields, from: try trust(.forwarded))
        #expect(standard.client == IPAddress("198.51.100.1"))
        #expect(standard.host == "evil.example")
        let none = ForwardedRequest(fields, from: try trust(.none))
        #expect(none.client == nil && none.host == nil && none.malformedCount == 0)
    }
}
