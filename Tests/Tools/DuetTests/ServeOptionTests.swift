import ArgumentParser
import RTCSignaling
import Testing

@testable import DuetShell
@testable import duet

@Suite("Options of duet serve for proxies and limits")
struct ServeOptionTests {
    @Test("Trusted proxies are those of the options and of the environment")
    func proxies() throws {
        let command = try ServeCommand.parse([
            "--trusted-proxy", "10.0.0.0/8", "--trusted-proxy", "::1", "--proxy-header", "forwarded",
            "--proxy-protocol", "required",
        ])
        let trust = try command.proxies.makeTrust(["DUET_TRUSTED_PROXY": "192.0.2.0/24, 127.0.0.1"])
        let expected = try TrustedNetworks(["10.0.0.0/8", "::1", "192.0.2.0/24", "127.0.0.1"])
        #expect(trust.networks == expected)
        #expect(trust.header == .forwarded && trust.proxyProtocol == .required)
        let plain = try ServeCommand.parse([]).proxies.makeTrust([:])
        #expect(plain.networks.isEmpty && plain.header == .xForwardedFor && plain.proxyProtocol == .off)
    }

    @Test("What is no network is refused, and so is a PROXY protocol of nobody")
    func refusedProxies() throws {
        #expect(throws: (any Error).self) { try ServeCommand.parse(["--trusted-proxy", "proxy.example.org"]) }
        #expect(throws: (any Error).self) { try ServeCommand.parse(["--proxy-header", "x-real-ip"]) }
        let options = try ServeCommand.parse([]).proxies
        #expect(throws: Refusal.self) { try options.makeTrust(["DUET_TRUSTED_PROXY": "10.0.0.1/8"]) }
        let alone = try ServeCommand.parse(["--proxy-protocol", "optional"]).proxies
        #expect(throws: Refusal.self) { try alone.makeTrust([:]) }
    }

    @Test("A limit is a number, or a rate and a burst; every name is applied")
    func limits() throws {
        for name in LimitOption.Name.allCases {
            let text = name.isRate ? "\(name.rawValue)=2.5/7" : "\(name.rawValue)=7"
            let limit = try LimitOption.parse(text)
            #expect(limit == LimitOption(name: name, value: name.isRate ? 2.5 : 7, burst: name.isRate ? 7 : 0))
            var limits = ServerLimits()
            limit.apply(to: &limits)
            #expect("\(limits)" != "\(ServerLimits())", "\(name)")
        }
        let environment = try LimitOption.limits(of: ["DUET_LIMITS": "sockets=9, resume-window=30"])
        #expect(environment.map(\.value) == [9, 30])
    }

    @Test(
        "What is no limit is refused",
        arguments: [
            "", "sockets", "sockets=", "sockets=0", "sockets=-1", "sockets=1.5", "sockets=1/2", "sockets=1e3",
            "nothing=1",
            "messages-per-socket=20", "messages-per-socket=20/", "messages-per-socket=20/100/1", "sockets=99999999999",
            "sockets=nan",
        ])
    func refusedLimits(text: String) {
        #expect(throws: (any Error).self) { try LimitOption.parse(text) }
        #expect(throws: Refusal.self) { try LimitOption.limits(of: ["DUET_LIMITS": text.isEmpty ? "=" : text]) }
    }
}
