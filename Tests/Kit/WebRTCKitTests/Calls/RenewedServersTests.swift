import RTC
import Synchronization
import Testing

@testable import RTC
@testable import WebRTCKit

@Suite("ICE servers that the signalling server renews", .timeLimit(.minutes(1)))
struct RenewedServersTests {
    private static func relay(_ number: Int) -> [RTCIceServer] {
        [RTCIceServer(urlStrings: ["turn:127.0.0.1:9"], username: "alice \(number)", credential: "secret \(number)")]
    }

    @Test("A call begins with those of the moment, and each search for another path takes those of its moment")
    func renewed() async throws {
        let config = Config(iceServers: [RTCIceServer(urlStrings: ["stun:127.0.0.1:9"])], connectionTimeout: 20)
        let server = InMemoryServer()
        let (events, network) = AsyncStream.makeStream(of: NetworkMonitor.Event.self)
        let alice = try await Caller("alice", server, config: config, network: events)
        let bob = try await Caller("bob", server)
        alice.signaling.offer(Self.relay(1))
        try await alice.call(bob)
        #expect(await alice.names == ["alice 1"])
        alice.signaling.offer(Self.relay(2))
        try await alice.controller.restartICE()
        #expect(await alice.names == ["alice 2"])
        #expect(await alice.urls == ["stun:127.0.0.1:9", "turn:127.0.0.1:9"])
        // The kit's own restarts, as after a change of network.
        alice.signaling.offer(Self.relay(3))
        network.yield(.changed)
        #expect(await eventually { await alice.names == ["alice 3"] })
        try await alice.hangUp(bob)
    }
}

extension Caller {
    /// The user names that its call's relays are asked with.
    fileprivate var names: [String] {
        get async { await controller.manager.connection?.connection.relayNames ?? [] }
    }

    fileprivate var urls: [String] {
        get async { await controller.manager.connection?.connection.serverURLs ?? [] }
    }
}

extension PeerConnection {
    fileprivate var relayNames: [String] { engine.servers.configured.compactMap { $0.credentials?.username } }
    fileprivate var serverURLs: [String] { engine.servers.configured.map { "\($0.url)" } }
}
