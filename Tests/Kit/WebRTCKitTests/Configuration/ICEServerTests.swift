import Logging
import RTC
import Synchronization
import Testing

@testable import WebRTCKit

@Suite("Addresses of ICE servers")
struct ICEServerTests {
    @Test(
        "What RFC 7064 and RFC 7065 allow is taken",
        arguments: [
            "stun:example.com", "STUN:example.com:1", "stuns:10.0.0.1:5349", "turn:example.com:65535?transport=udp",
            "turns:example.com?transport=tcp", "stun:[2001:db8::1]:3478", "stun:[::ffff:1.2.3.4]",
        ])
    func accepted(text: String) throws {
        try RTCIceServer(urlStrings: [text], username: "u", credential: "c").validate()
    }

    @Test(
        "What they do not allow is refused",
        arguments: [
            "", ":", "stun", "stun:", "stun::3478", "example.com", "example.com:3478", "http:example.com",
            "stun://example.com", "stun:example.com:0", "stun:example.com:65536", "stun:example.com:-1",
            "stun:example.com:+1", "stun:example.com:", "stun:example.com:abc", "stun:exa mple.com", "stun:exämple.com",
            "stun:example.com?transport=udp", "turn:example.com?transport=sctp", "turn:example.com?x", "turn:a?b?c",
            "turn:user@example.com", "stun:2001:db8::1", "stun:[2001:db8::1", "stun:[]", "stun:[]:1", "stun:[zz]",
            "stun:[::1]x", "stun:example.com/path", "stun:\u{0}", "turn:[::1]:99999",
            "stun:" + String(repeating: "a", count: 254),
        ])
    func refused(text: String) {
        let server = RTCIceServer(urlStrings: [text], username: "u", credential: "c")
        let error = #expect(throws: ConfigError.self) { try server.validate() }
        #expect(error?.field == "urlStrings[0]")
        #expect(error?.remedy.isEmpty == false)
    }

    @Test("A password in the wrong place is not repeated")
    func password() {
        let server = RTCIceServer(urlStrings: ["turn:user:secret@example.com"], username: "u", credential: "c")
        let error = #expect(throws: ConfigError.self) { try server.validate() }
        #expect(error?.description.contains("secret") == false)
    }

    @Test("The engine is given every server once, relays with their credentials; the log names what cannot be used")
    func mapping() throws {
        let lines = LogLines()
        let config = Config(iceServers: [
            RTCIceServer(urlStrings: ["stun:a.example", "stuns:b.example"]),
            RTCIceServer(urlStrings: ["turn:c.example?transport=tcp"], username: "user", credential: "secret"),
            RTCIceServer(urlStrings: ["turn:e.example"], username: "user"),
        ])
        let offered = [
            RTCIceServer(urlStrings: ["stun:a.example", "stun:d.example:5"]), RTCIceServer(urlStrings: ["nonsense"]),
        ]
        let configuration = config.connectionConfiguration(offered: offered, logger: lines.logger)
        #expect(
            configuration.iceServers.map(\.url) == [
                "stun:a.example", "stuns:b.example", "turn:c.example?transport=tcp", "stun:d.example:5",
            ])
        #expect(configuration.iceServers[2].username == "user" && configuration.iceServers[2].credential == "secret")
        #expect(configuration.media.startBitrate == .kilobits(1_016))
        #expect(lines.all.count == 2)
        #expect(lines.all.joined().contains("e.example"))
        #expect(!lines.all.joined().contains("secret"))
        // The engine takes all of it.
        _ = try PeerConnection(configuration: configuration)
    }

    @Test("However many servers are offered, the engine gets few")
    func many() {
        let offered = [RTCIceServer(urlStrings: (0..<1_000).map { "stun:host\($0)" })]
        let configuration = Config().connectionConfiguration(offered: offered, logger: LogLines().logger)
        #expect(configuration.iceServers.count == Config.mostServers)
    }

    @Test("However many addresses make no sense, the log stays short")
    func manyBad() {
        let lines = LogLines()
        let offered = (0..<10_000).map { RTCIceServer(urlStrings: ["x\($0)"]) }
        #expect(Config().servers(offered: offered, logger: lines.logger).isEmpty)
        #expect(lines.all.count == Config.mostAddresses + 1)
    }

    @Test("Which way calls go, and whom servers have to be trusted by, is the options' affair")
    func options() {
        var options = WebRTCKit.Options()
        let logger = LogLines().logger
        let ordinary = Config().connectionConfiguration(options: options, logger: logger)
        #expect(ordinary.iceTransportPolicy == .all && ordinary.serverTrust == .system)
        options.iceTransportPolicy = .relay
        options.serverTrust = .authorities(pem: "an authority")
        let changed = Config().connectionConfiguration(options: options, logger: logger)
        #expect(changed.iceTransportPolicy == .relay)
        #expect(changed.serverTrust == .authorities(pem: "an authority"))
    }

    @Test("No text that is made of a server shows its credential")
    func redaction() {
        let server = RTCIceServer(urlStrings: ["turn:a.example"], username: "alice", credential: "hunter2")
        let config = Config(iceServers: [server])
        var text = "\(server) \(String(reflecting: server)) \(config) \(String(reflecting: config))"
        dump(server, to: &text)
        dump(config, to: &text)
        #expect(text.contains("turn:a.example") && !text.contains("hunter2") && !text.contains("alice"))
    }

    @Test("Absurd bitrates do not trap")
    func absurd() {
        let bitrates = BitrateConfig(
            minBitrate: .max, maxBitrate: .max, startBitrate: .max, bitrateStepUp: 0, bitrateStepDown: 0,
            bitrateStepCriticalDown: 0, criticalPacketLossThreshold: 0, highPacketLossThreshold: 0,
            lowPacketLossThreshold: 0)
        let config = Config(video: bitrates, audio: bitrates)
        #expect(config.connectionConfiguration(logger: LogLines().logger).media.startBitrate == .kilobits(1_000))
    }
}

/// Keeps what is logged.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.lines.withLock { $0.append("\(event.message)") }
        }
    }
}
