import Foundation
import Logging
import RTCPeer
import Synchronization
import Testing

@testable import RTCSignaling
@testable import WebRTCKit

@Suite("A kit's connection to a Duet server")
struct DuetSignalingTests {
    // MARK: The connection

    @Test("It signs in, says so, and gives the user's name for an ID")
    func signIn() async throws {
        try await SignalingDevice.withServer { server in
            let alice = try SignalingDevice("alice", on: server)
            #expect(!alice.connection.isOpen)
            #expect(try await alice.connection.connect() == "alice")
            #expect(try await alice.connection.connect() == "alice")
            try await alice.expect(.opened)
            #expect(alice.connection.isOpen)
            alice.connection.disconnect()
            try await alice.expect(.closed)
            #expect(!alice.connection.isOpen)
            #expect(try await alice.connection.connect() == "alice")
            try await alice.expect(.opened)
            alice.connection.disconnect()
        }
    }

    @Test("Whoever awaits the sign-in finds the address and the ICE servers there")
    func knownAtOnce() async throws {
        try await SignalingDevice.withServer {
            $0.iceServers = [SignalingICEServer(urls: ["stun:192.0.2.1"])]
        } _: { server in
            for number in 0..<50 {
                let device = try SignalingDevice("alice/device\(number)", on: server)
                #expect(try await device.connection.connect() == "alice")
                #expect(device.connection.address == "alice/device\(number)")
                #expect(device.connection.iceServers.count == 1)
                device.connection.disconnect()
            }
        }
    }

    @Test("Whoever disconnects while it connects stays away, wherever that comes between", arguments: 0..<8)
    func disconnectWhileConnecting(turns: Int) async throws {
        try await SignalingDevice.withServer { server in
            let alice = try await SignalingDevice.signedIn("alice/a", on: server)
            // The next client waits until this one has said goodbye.
            alice.connection.disconnect()
            let connecting = Task { try await alice.connection.connect() }
            // Who disconnects before there is anything to disconnect from does not mean what comes later.
            try await SignalingDevice.eventually { alice.connection.isConnecting }
            for _ in 0..<turns * turns { await Task.yield() }
            alice.connection.disconnect()
            _ = await connecting.result
            try await SignalingDevice.eventually { !alice.connection.isOpen }
            await alice.connection.waitUntilDisconnected()
            let statistics = await server.statistics()
            #expect(statistics.exchange.sessions == statistics.exchange.sessionsAway)
            #expect(try await alice.connection.connect() == "alice")
        }
    }

    @Test("Where no server is, or one that refuses, it says so, and may be tried again")
    func refusals() async throws {
        let nobody = try DuetSignaling(url: "ws://127.0.0.1:9", user: "alice")
        await #expect(throws: SignalingClientError.self) { try await nobody.connect() }
        await #expect(throws: SignalingClientError.self) { try await nobody.connect() }
        await #expect(throws: CallManagerError.self) {
            try await nobody.sendSignal(Data(signal(.ringing).encoded()), to: "bob")
        }
        for (url, user) in [("127.0.0.1", "alice"), ("ws://127.0.0.1", "alice b")] {
            do throws(CallManagerError) {
                _ = try DuetSignaling(url: url, user: user)
                Issue.record("\(url) and \(user) are taken")
            } catch {
                guard case .invalidArgument = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
        try await SignalingDevice.withServer { server in
            let first = try await SignalingDevice.signedIn("alice/a", on: server)
            let second = try SignalingDevice("alice/a", on: server)
            await #expect(throws: SignalingClientError.self) { try await second.connection.connect() }
            #expect(first.connection.isOpen)
        }
    }

    @Test("Where only an address is given, too, the server lets a call ring for as long as it was told")
    func ringTime() async throws {
        try await SignalingDevice.withServer { server in
            let bob = try await SignalingDevice.signedIn("bob", on: server)
            let alice = try DuetSignaling(url: server.url, user: "alice", ringTime: .seconds(1))
            _ = try await alice.connect()
            try await alice.sendSignal(
                Data(SignalingDevice.signal(.invite(sdp: "v=0", media: []), call: 0).encoded()), to: "bob")
            try await bob.expect(.invite(sdp: "v=0", media: []), from: "alice", isPolite: true)
            // It would ring for 30 s otherwise.
            let start = ContinuousClock.now
            _ = try await bob.next()
            #expect(start.duration(to: .now) < .seconds(10))
            alice.disconnect()
        }
    }

    @Test("What is nothing that a kit says is not sent")
    func nonsense() async throws {
        try await SignalingDevice.withServer { server in
            let alice = try await SignalingDevice.signedIn("alice", on: server)
            for bytes in [[], [0], Array("{}".utf8), [UInt8](repeating: 32, count: 100_000)] {
                await #expect(throws: CallManagerError.self) {
                    try await alice.connection.sendSignal(Data(bytes), to: "bob")
                }
                await #expect(throws: CallManagerError.self) {
                    try await alice.connection.sendICECandidate(Data(bytes), to: "bob")
                }
            }
            try await alice.connection.sendEndCall(to: "bob")
        }
    }

    @Test("The server's ICE servers are there after sign-in, and are asked for again before they expire")
    func iceServers() async throws {
        let servers = [SignalingICEServer(urls: ["turn:turn.example.org"])]
        try await SignalingDevice.withServer {
            $0.iceServers = servers
            $0.relayCredentials = RelayCredentials(secret: "secret", lifetime: .seconds(3))
        } _: { server in
            let alice = try await SignalingDevice.signedIn("alice", on: server)
            let first = try #require(alice.connection.iceServers.first)
            #expect(first.urlStrings == ["turn:turn.example.org"] && first.credential?.isEmpty == false)
            try first.validate()
            try await SignalingDevice.eventually(within: .seconds(8)) { alice.connection.iceServers.first != first }
        }
    }

    // MARK: A call, every message both ways

    @Test("A call from its invitation to its end, with the politeness that the server says")
    func call() async throws {
        try await SignalingDevice.withServer { server in
            let (alice, bob) = (
                try await SignalingDevice.signedIn("alice", on: server),
                try await SignalingDevice.signedIn("bob", on: server)
            )
            try await alice.send(.invite(sdp: "offer", media: [.audio, .video]), to: "bob")
            try await alice.sendCandidates(["a", "b", "c"], to: "bob")
            try await bob.expect(.invite(sdp: "offer", media: [.audio, .video]), from: "alice", isPolite: true)
            try await bob.expectCandidates(["a", "b", "c"], from: "alice")
            try await bob.send(.ringing, to: "alice")
            try await alice.expect(.ringing, from: "bob", isPolite: false)
            try await bob.send(.answer(sdp: "answer"), to: "alice")
            try await bob.sendCandidates(["d"], to: "alice")
            try await alice.expect(.answer(sdp: "answer"), from: "bob", isPolite: false)
            try await alice.expectCandidates(["d"], from: "bob")
            for type in [SessionDescription.Kind.offer, .answer] {
                let description = SessionDescription(type: type, sdp: "later")
                try await alice.send(.negotiate(description), to: "bob")
                try await bob.expect(.negotiate(description), from: "alice", isPolite: true)
                try await bob.send(.negotiate(description), to: "alice")
                try await alice.expect(.negotiate(description), from: "bob", isPolite: false)
            }
            let message = VerificationMessage(step: .nonce, value: [UInt8](repeating: 7, count: 32))
            try await alice.send(.verify(message), to: "bob")
            try await bob.expect(.verify(message), from: "alice", isPolite: true)
            try await bob.send(.verify(message), to: "alice")
            try await alice.expect(.verify(message), from: "bob", isPolite: false)
            try await bob.send(.hangUp(.connectionFailed), to: "alice")
            try await alice.expect(.hangUp(.connectionFailed), from: "bob", isPolite: false)
        }
    }

    @Test("Reject, busy and cancel reach the other side, with their reasons")
    func endings() async throws {
        try await SignalingDevice.withServer { server in
            let (alice, bob) = (
                try await SignalingDevice.signedIn("alice", on: server),
                try await SignalingDevice.signedIn("bob", on: server)
            )
            let endings: [(CallSignal.Content, CallSignal.Content)] = [
                (.reject(.declined), .reject(.declined)), (.reject(.noAnswer), .reject(.noAnswer)), (.busy, .busy),
            ]
            for (index, (said, heard)) in endings.enumerated() {
                try await alice.send(.invite(sdp: "offer", media: []), to: "bob", call: index)
                try await bob.expect(.invite(sdp: "offer", media: []), from: "alice", isPolite: true, call: index)
                try await bob.send(said, to: "alice", call: index)
                try await alice.expect(heard, from: "bob", isPolite: false, call: index)
            }
            try await alice.send(.invite(sdp: "offer", media: []), to: "bob", call: 9)
            try await bob.expect(.invite(sdp: "offer", media: []), from: "alice", isPolite: true, call: 9)
            try await alice.send(.cancel(.noAnswer), to: "bob", call: 9)
            try await bob.expect(.cancel(.cancelled), from: "alice", isPolite: true, call: 9)
        }
    }

    @Test("Nobody there, and nobody who answers")
    func nobody() async throws {
        try await SignalingDevice.withServer { server in
            let alice = try await SignalingDevice.signedIn("alice", on: server, ringTime: .seconds(1))
            try await alice.send(.invite(sdp: "offer", media: []), to: "bob")
            try await alice.expect(.unavailable, from: "bob", isPolite: false)
            let bob = try await SignalingDevice.signedIn("bob", on: server)
            try await alice.send(.invite(sdp: "offer", media: []), to: "bob", call: 1)
            try await bob.expect(.invite(sdp: "offer", media: []), from: "alice", isPolite: true, call: 1)
            try await alice.expect(.noAnswer, from: "bob", isPolite: false, call: 1)
            try await bob.expect(.noAnswer, from: "alice", isPolite: true, call: 1)
        }
    }

    @Test("What the server refuses of an invitation ends the call")
    func refusedInvitation() async throws {
        try await SignalingDevice.withServer { server in
            let (alice, bob) = (
                try await SignalingDevice.signedIn("alice", on: server),
                try await SignalingDevice.signedIn("bob", on: server)
            )
            for call in 0..<2 {
                try await alice.send(.invite(sdp: "offer", media: []), to: "bob", call: call)
                try await bob.expect(.invite(sdp: "offer", media: []), from: "alice", isPolite: true, call: call)
            }
            // Two calls from one user to another may ring at once, and no more.
            try await alice.send(.invite(sdp: "offer", media: []), to: "bob", call: 2)
            try await alice.expect(.unavailable, from: "bob", isPolite: false, call: 2)
        }
    }

    // MARK: Several devices

    private func withTwoDevices(
        _ body: (_ alice: SignalingDevice, _ first: SignalingDevice, _ second: SignalingDevice) async throws -> Void
    ) async throws {
        try await SignalingDevice.withServer { server in
            try await body(
                SignalingDevice.signedIn("alice", on: server), SignalingDevice.signedIn("bob/first", on: server),
                SignalingDevice.signedIn("bob/second", on: server))
        }
    }

    private func ring(_ devices: [SignalingDevice], by alice: SignalingDevice) async throws {
        try await alice.send(.invite(sdp: "offer", media: []), to: "bob")
        for bob in devices {
            try await bob.expect(.invite(sdp: "offer", media: []), from: "alice", isPolite: true)
        }
    }

    @Test("Of two devices both ring; the one that answers has the call, and the other is told")
    func answeredElsewhere() async throws {
        try await withTwoDevices { alice, first, second in
            try await ring([first, second], by: alice)
            try await second.send(.answer(sdp: "answer"), to: "alice")
            try await alice.expect(.answer(sdp: "answer"), from: "bob", isPolite: false)
            try await first.expect(.cancel(.answeredElsewhere), from: "alice", isPolite: true)
            // Too late.
            try await first.send(.answer(sdp: "late"), to: "alice")
            try await alice.send(.hangUp(.normal), to: "bob")
            try await second.expect(.hangUp(.normal), from: "alice", isPolite: true)
        }
    }

    @Test("Of two devices that answer at once the later one is told that it was too late")
    func bothAnswer() async throws {
        try await withTwoDevices { alice, first, second in
            let devices = [first, second]
            try await ring(devices, by: alice)
            for bob in devices { try await bob.send(.answer(sdp: bob.name), to: "alice") }
            let event = try await alice.next()
            let loser = event == .signal(signal(.answer(sdp: "bob/first")), "bob", false) ? devices[1] : devices[0]
            try await loser.expect(.cancel(.answeredElsewhere), from: "alice", isPolite: true)
        }
    }

    @Test("A rejection at one device ends it at the other")
    func rejectedElsewhere() async throws {
        try await withTwoDevices { alice, first, second in
            try await ring([first, second], by: alice)
            try await first.send(.reject(.declined), to: "alice")
            try await alice.expect(.reject(.declined), from: "bob", isPolite: false)
            try await second.expect(.cancel(.rejectedElsewhere), from: "alice", isPolite: true)
        }
    }

    @Test("One device can be called by its name, and it alone rings")
    func oneDevice() async throws {
        try await withTwoDevices { alice, first, second in
            try await alice.send(.invite(sdp: "offer", media: []), to: "bob/second")
            try await second.expect(.invite(sdp: "offer", media: []), from: "alice", isPolite: true)
            try await second.send(.answer(sdp: "answer"), to: "alice")
            try await alice.expect(.answer(sdp: "answer"), from: "bob/second", isPolite: false)
            #expect(first.isQuiet)
        }
    }

    // MARK: Glare

    @Test(
        "When both call each other, the lesser identifier stays: who loses has the other's invitation, and its own is over"
    )
    func glare() async throws {
        try await SignalingDevice.withServer { server in
            for aliceIsFirst in [true, false] {
                let (alice, bob) = (
                    try await SignalingDevice.signedIn("alice", on: server),
                    try await SignalingDevice.signedIn("bob", on: server)
                )
                let (lesser, greater) = (aliceIsFirst ? 10 : 20, aliceIsFirst ? 11 : 21)
                let (first, second) = aliceIsFirst ? (lesser, greater) : (greater, lesser)
                try await alice.send(.invite(sdp: "alice", media: []), to: "bob", call: first)
                try await bob.expect(.invite(sdp: "alice", media: []), from: "alice", isPolite: true, call: first)
                try await bob.send(.invite(sdp: "bob", media: []), to: "alice", call: second)
                // Whose call is the lesser one: alice's the first time, bob's the second.
                let (winner, loser) = aliceIsFirst ? (alice, bob) : (bob, alice)
                if !aliceIsFirst {
                    try await alice.expect(.invite(sdp: "bob", media: []), from: "bob", isPolite: true, call: lesser)
                    try await bob.expect(.cancel(.glare), from: "alice", isPolite: true, call: greater)
                }
                let (winnerName, loserName) = aliceIsFirst ? ("alice", "bob") : ("bob", "alice")
                try await loser.expect(.cancel(.glare), from: winnerName, isPolite: false, call: greater)
                try await loser.send(.answer(sdp: "answer"), to: winnerName, call: lesser)
                try await winner.expect(.answer(sdp: "answer"), from: loserName, isPolite: false, call: lesser)
                // What the loser still says of its own call disturbs nobody.
                try await loser.send(.cancel(.glare), to: winnerName, call: greater)
                try await winner.send(.hangUp(.normal), to: loserName, call: lesser)
                try await loser.expect(.hangUp(.normal), from: winnerName, isPolite: true, call: lesser)
                alice.connection.disconnect()
                bob.connection.disconnect()
                try await alice.expect(.closed)
                try await bob.expect(.closed)
            }
        }
    }

    private func signal(_ content: CallSignal.Content) -> CallSignal { SignalingDevice.signal(content, call: 0) }
}
