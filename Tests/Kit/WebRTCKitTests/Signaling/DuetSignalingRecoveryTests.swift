import Foundation
import RTCPeer
import Testing

@testable import RTCSignaling
@testable import WebRTCKit

@Suite("A kit's connection to a Duet server that dies and comes back")
struct DuetSignalingRecoveryTests {
    private struct Pair {
        let alice: SignalingDevice
        let bob: SignalingDevice

        init(on server: SignalingServer) async throws {
            alice = try await SignalingDevice.signedIn("alice", on: server)
            bob = try await SignalingDevice.signedIn("bob", on: server)
        }

        func ring() async throws {
            try await alice.send(.invite(sdp: "offer", media: []), to: "bob")
            try await bob.expect(.invite(sdp: "offer", media: []), from: "alice", isPolite: true)
        }

        func answer() async throws {
            try await bob.send(.answer(sdp: "answer"), to: "alice")
            try await alice.expect(.answer(sdp: "answer"), from: "bob", isPolite: false)
        }

        /// A server that has forgotten everything takes the place of the old one.
        func restart(_ server: SignalingServer, meanwhile: () async throws -> Void = {}) async throws -> SignalingServer
        {
            let port = server.port
            await server.stop(grace: .milliseconds(50), retryAfter: .zero)
            for device in [alice, bob] { try await device.expect(.closed) }
            try await meanwhile()
            let new = try await SignalingDevice.startServer { $0.port = port }
            for device in [alice, bob] { try await device.expect(.opened) }
            return new
        }

        func offer(_ sdp: String) async throws {
            let description = SessionDescription(type: .offer, sdp: sdp)
            try await alice.send(.negotiate(description), to: "bob")
            try await bob.expect(.negotiate(description), from: "alice", isPolite: true)
            try await bob.send(.negotiate(description), to: "alice")
            try await alice.expect(.negotiate(description), from: "bob", isPolite: false)
        }

        func hangUp() async throws {
            try await alice.send(.hangUp(.normal), to: "bob")
            try await bob.expect(.hangUp(.normal), from: "alice", isPolite: true)
        }
    }

    private func withPair(_ body: (Pair, inout SignalingServer) async throws -> Void) async throws {
        var server = try await SignalingDevice.startServer()
        do {
            try await body(try await Pair(on: server), &server)
        } catch {
            await server.stop(grace: .milliseconds(50))
            throw error
        }
        await server.stop(grace: .milliseconds(50))
    }

    @Test("While it rings: it rings on, not anew, and can be answered")
    func ringing() async throws {
        try await withPair { pair, server in
            try await pair.ring()
            server = try await pair.restart(server)
            try await pair.answer()
            try await pair.offer("later")
            try await pair.hangUp()
        }
    }

    @Test("While it rings, and is answered while there is no server: the answer arrives with the next one")
    func answeredMeanwhile() async throws {
        try await withPair { pair, server in
            try await pair.ring()
            server = try await pair.restart(server) { try await pair.bob.send(.answer(sdp: "answer"), to: "alice") }
            try await pair.alice.expect(.answer(sdp: "answer"), from: "bob", isPolite: false)
            try await pair.offer("later")
        }
    }

    @Test("While it rings, and is rejected while there is no server")
    func rejectedMeanwhile() async throws {
        try await withPair { pair, server in
            try await pair.ring()
            server = try await pair.restart(server) { try await pair.bob.send(.reject(.declined), to: "alice") }
            try await pair.alice.expect(.reject(.declined), from: "bob", isPolite: false)
        }
    }

    @Test("While it rings, and is given up while there is no server: it rings no longer when there is one")
    func cancelledMeanwhile() async throws {
        try await withPair { pair, server in
            try await pair.ring()
            server = try await pair.restart(server) { try await pair.alice.send(.cancel(.cancelled), to: "bob") }
            try await pair.bob.expect(.cancel(.cancelled), from: "alice", isPolite: true)
        }
    }

    @Test("While it runs: what is said afterwards arrives, also what is said while there is no server")
    func running() async throws {
        try await withPair { pair, server in
            try await pair.ring()
            try await pair.answer()
            let early = SessionDescription(type: .offer, sdp: "early")
            server = try await pair.restart(server) {
                try await pair.alice.send(.negotiate(early), to: "bob")
                try await pair.alice.sendCandidates(["a"], to: "bob")
                // Longer than candidates wait for each other.
                try await Task.sleep(for: .milliseconds(60))
            }
            try await pair.bob.expect(.negotiate(early), from: "alice", isPolite: true)
            try await pair.bob.expectCandidates(["a"], from: "alice")
            try await pair.offer("later")
            try await pair.hangUp()
        }
    }

    @Test("A call that is hung up while there is no server ends at the other side when there is one")
    func hungUpMeanwhile() async throws {
        try await withPair { pair, server in
            try await pair.ring()
            try await pair.answer()
            server = try await pair.restart(server) { try await pair.alice.send(.hangUp(.normal), to: "bob") }
            try await pair.bob.expect(.hangUp(.normal), from: "alice", isPolite: true)
        }
    }

    @Test("A new call is not begun while there is no server: it says so at once")
    func callMeanwhile() async throws {
        try await withPair { pair, server in
            server = try await pair.restart(server) {
                await #expect(throws: CallManagerError.self) {
                    try await pair.alice.send(.invite(sdp: "offer", media: []), to: "bob")
                }
            }
            try await pair.ring()
        }
    }

    @Test("Again and again")
    func severalTimes() async throws {
        try await withPair { pair, server in
            try await pair.ring()
            try await pair.answer()
            for index in 0..<3 {
                server = try await pair.restart(server)
                try await pair.offer("offer \(index)")
            }
            try await pair.hangUp()
        }
    }

    // MARK: The network

    @Test("Without a network nothing is tried; when it is back, the next try is made at once")
    func network() async throws {
        let server = try await SignalingDevice.startServer()
        let port = server.port
        // Nothing would be tried for a long time by itself.
        let alice = try await SignalingDevice.signedIn("alice", on: server, backoff: .seconds(60))
        await server.stop(grace: .milliseconds(50), retryAfter: .zero)
        try await alice.expect(.closed)
        alice.connection.onConnectionUnsatisfied()
        let second = try await SignalingDevice.startServer { $0.port = port }
        let beginning = ContinuousClock.now
        alice.connection.onConnectionSatisfied()
        try await alice.expect(.opened)
        #expect(ContinuousClock.now - beginning < .seconds(3))

        // And one that would be tried again soon is not, without a network.
        let bob = try await SignalingDevice.signedIn("bob", on: second)
        await second.stop(grace: .milliseconds(50), retryAfter: .zero)
        try await bob.expect(.closed)
        bob.connection.onConnectionUnsatisfied()
        let third = try await SignalingDevice.startServer { $0.port = port }
        try await Task.sleep(for: .seconds(1.5))
        #expect(!bob.connection.isOpen && bob.isQuiet)
        bob.connection.onConnectionSatisfied()
        try await bob.expect(.opened)
        await third.stop(grace: .milliseconds(50))
    }

    @Test("Connecting while the connection is interrupted begins the next attempt at once, and does not wait for it")
    func connecting() async throws {
        let server = try await SignalingDevice.startServer()
        let port = server.port
        // Nothing would be tried for a long time by itself.
        let alice = try await SignalingDevice.signedIn("alice", on: server, backoff: .seconds(60))
        await server.stop(grace: .milliseconds(50), retryAfter: .zero)
        try await alice.expect(.closed)
        #expect(try await alice.connection.connect() == "alice" && !alice.connection.isOpen)
        let second = try await SignalingDevice.startServer { $0.port = port }
        let beginning = ContinuousClock.now
        _ = try await alice.connection.connect()
        try await alice.expect(.opened)
        #expect(ContinuousClock.now - beginning < .seconds(3))
        await second.stop(grace: .milliseconds(50))
    }

    @Test("A network that came and went where the connection lives on changes nothing")
    func harmlessChange() async throws {
        try await withPair { pair, _ in
            for _ in 0..<5 {
                pair.alice.connection.onConnectionUnsatisfied()
                pair.alice.connection.onConnectionSatisfied()
            }
            try await pair.ring()
            try await Task.sleep(for: .seconds(4))
            #expect(pair.alice.isQuiet && pair.alice.connection.isOpen)
            try await pair.answer()
        }
    }
}
