import Foundation
import Logging
import RTCPeer
import Synchronization
import Testing

@testable import RTCSignaling
@testable import WebRTCKit

/// A ``DuetSignaling`` with somebody who listens to it, in place of a kit.
final class SignalingDevice: Sendable {
    enum Event: Equatable {
        case opened, closed
        case signal(CallSignal, PeerID, Bool)
        case candidate(DuetSignalingCalls.Candidate, PeerID)
        case other(String)
    }

    let name: String
    let connection: DuetSignaling
    private let listener = Listener()

    /// - Parameter name: `alice`, or `alice/device`.
    init(
        _ name: String, on server: SignalingServer, ringTime: Duration = .seconds(30),
        backoff: Duration = .milliseconds(20)
    ) throws {
        self.name = name
        let address = try #require(SignalingAddress(name))
        var configuration = SignalingClient.Configuration(
            url: try #require(SignalingURL(server.url)), user: address.user, device: address.device ?? .random())
        configuration.setBackoff(first: backoff, longest: max(backoff, .milliseconds(200)))
        configuration.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        connection = DuetSignaling(configuration, ringTime: ringTime)
        connection.setDelegate(listener)
    }

    static func signedIn(
        _ name: String, on server: SignalingServer, ringTime: Duration = .seconds(30),
        backoff: Duration = .milliseconds(20)
    ) async throws -> SignalingDevice {
        let device = try SignalingDevice(name, on: server, ringTime: ringTime, backoff: backoff)
        _ = try await device.connection.connect()
        try await device.expect(.opened)
        return device
    }

    /// - Parameter call: Which of several; those with lesser numbers have lesser identifiers.
    static func signal(_ content: CallSignal.Content, call: Int) -> CallSignal {
        CallSignal(call: identifier(call), content)
    }

    private static func identifier(_ call: Int) -> CallIdentifier {
        let number = String(call)
        let text = "call-0123456789abcdef-" + String(repeating: "0", count: 4 - number.count) + number
        // An identifier of the right length, with characters that are allowed.
        return CallIdentifier(rawValue: text)!
    }

    func send(_ content: CallSignal.Content, to peer: PeerID, call: Int = 0) async throws {
        try await connection.sendSignal(Data(Self.signal(content, call: call).encoded()), to: peer)
    }

    func sendCandidates(_ candidates: [String], to peer: PeerID, call: Int = 0) async throws {
        for text in candidates {
            let candidate = DuetSignalingCalls.Candidate(
                call: Self.identifier(call), ICECandidateInit(candidate: text, sdpMid: "0", sdpMLineIndex: 0))
            try await connection.sendICECandidate(Data(candidate.encoded()), to: peer)
        }
    }

    /// The next thing that happens.
    func next() async throws -> Event {
        try await Self.eventually { self.listener.take() }
    }

    /// Whether nothing has happened that nobody has asked for.
    var isQuiet: Bool { listener.isEmpty }

    func expect(_ event: Event, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let next = try await next()
        #expect(next == event, "\(name)", sourceLocation: sourceLocation)
        // What follows would only confuse.
        if next != event { throw Unexpected() }
    }

    func expect(
        _ content: CallSignal.Content, from peer: PeerID, isPolite: Bool, call: Int = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await expect(
            .signal(Self.signal(content, call: call), peer, isPolite), sourceLocation: sourceLocation)
    }

    func expectCandidates(
        _ candidates: [String], from peer: PeerID, call: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for text in candidates {
            let candidate = DuetSignalingCalls.Candidate(
                call: Self.identifier(call), ICECandidateInit(candidate: text, sdpMid: "0", sdpMLineIndex: 0))
            try await expect(.candidate(candidate, peer), sourceLocation: sourceLocation)
        }
    }

    private final class Listener: SignalingServerDelegate {
        private let events = Mutex<[Event]>([])

        var isEmpty: Bool { events.withLock { $0.isEmpty } }
        func take() -> Event? { events.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        private func note(_ event: Event) { events.withLock { $0.append(event) } }

        func didReceiveSignal(_ signalData: Data, from remotePeerID: PeerID, isPolite: Bool) async {
            guard let signal = try? CallSignal(decoding: Array(signalData)) else {
                return note(.other(String(decoding: signalData, as: UTF8.self)))
            }
            note(.signal(signal, remotePeerID, isPolite))
        }

        func didReceiveICECandidate(_ candidateData: Data, from remotePeerID: PeerID) async {
            guard let candidate = try? DuetSignalingCalls.Candidate(decoding: Array(candidateData)) else {
                return note(.other(String(decoding: candidateData, as: UTF8.self)))
            }
            note(.candidate(candidate, remotePeerID))
        }

        func didReceiveEndCall(from remotePeerID: PeerID) async { note(.other("end of call with \(remotePeerID)")) }
        func shouldConnect(to remotePeerID: PeerID) async { note(.other("connect to \(remotePeerID)")) }
        func socketDidOpen() { note(.opened) }
        func socketDidClose() { note(.closed) }
    }
}

struct Unexpected: Error {}
private struct TimedOut: Error {}

extension SignalingDevice {
    /// Waits until there is a value.
    static func eventually<Value>(within time: Duration = .seconds(10), _ value: () -> Value?) async throws -> Value {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {
            if let value = value() { return value }
            try await Task.sleep(for: .milliseconds(2))
        }
        throw TimedOut()
    }

    /// Waits until something holds.
    static func eventually(within time: Duration = .seconds(10), _ condition: () -> Bool) async throws {
        let _: Void = try await eventually(within: time) { condition() ? () : nil }
    }

    static func startServer(
        _ configure: (inout SignalingServer.Configuration) -> Void = { _ in }
    ) async throws -> SignalingServer {
        var configuration = SignalingServer.Configuration()
        configuration.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        configure(&configuration)
        return try await SignalingServer.start(configuration)
    }

    static func withServer(
        _ configure: (inout SignalingServer.Configuration) -> Void = { _ in },
        _ body: (SignalingServer) async throws -> Void
    ) async throws {
        let server = try await startServer(configure)
        do { try await body(server) } catch {
            await server.stop(grace: .milliseconds(50))
            throw error
        }
        await server.stop(grace: .milliseconds(50))
    }
}
