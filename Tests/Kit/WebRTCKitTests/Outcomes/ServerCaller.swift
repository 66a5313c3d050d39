import Foundation
import Logging
import RTCFrames
import RTCSignaling
import Synchronization
import Testing

@testable import WebRTCKit

/// A device of a user: a controller over a Duet server, and what is read of it.
struct ServerCaller: Sendable {
    let controller: WebRTCController
    let signaling: DuetSignaling
    let reader: EventReader

    /// - Parameters:
    ///   - address: `bob/desk`: the user and the device.
    ///   - ringTime: How long its calls ring.
    ///   - connectionTimeout: How long it looks for a path, in seconds.
    ///   - canConnect: Whether it uses any address; without a relay, it has none if it may use no other.
    init(
        _ address: String, name: String? = nil, on server: SignalingServer, ringTime: Duration = .seconds(30),
        connectionTimeout: UInt64 = 20, canConnect: Bool = true
    ) async throws {
        let address = try #require(SignalingAddress(address))
        var configuration = SignalingClient.Configuration(
            url: try #require(SignalingURL(server.url)), user: address.user, device: address.device ?? .random(),
            name: name.flatMap { DisplayName(rawValue: $0) })
        configuration.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        signaling = DuetSignaling(configuration, ringTime: ringTime)
        var options = WebRTCKit.Options()
        options.network.bindAddress = .init(127, 0, 0, 1)
        options.iceTransportPolicy = canConnect ? .all : .relay
        options.sources.microphone = PacedAudioSource(Tone(frequency: 440))
        controller = WebRTCKit.makeController(
            signalingServer: signaling, config: Config(connectionTimeout: connectionTimeout), audioDevice: nil,
            options: options, devices: .none)
        reader = EventReader(controller)
        try await controller.setupConnection()
    }
}

/// Reads a controller's events, and keeps them.
final class EventReader: Sendable {
    private let events = LockedEvents()
    private let reading: Task<Void, Never>

    init(_ controller: WebRTCController) {
        let stream = controller.events
        reading = Task { [events] in for await event in stream { events.append(event) } }
    }

    deinit { reading.cancel() }

    var all: [WebRTCController.Event] { events.all }

    /// What was told of calls.
    var calls: [(change: Call.Change, call: Call)] {
        all.compactMap { if case .call(let call, let change) = $0 { (change, call) } else { nil } }
    }

    /// Waits until a call has changed so, and returns the call.
    @discardableResult
    func wait(
        for change: Call.Change, times: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Call {
        _ = await eventually { self.calls.count { $0.change == change } >= times }
        return try #require(
            calls.filter { $0.change == change }.dropFirst(times - 1).first?.call,
            "\(change) of \(calls.map(\.change))",
            sourceLocation: sourceLocation)
    }
}

private final class LockedEvents: Sendable {
    private let events = Mutex<[WebRTCController.Event]>([])
    var all: [WebRTCController.Event] { events.withLock { $0 } }
    func append(_ event: WebRTCController.Event) { events.withLock { $0.append(event) } }
}

/// Believes everybody who they are, proves carol's name alone, and lets nobody reach mallory.
struct NamingAuthenticator: Authenticator {
    func authenticate(_ hello: Hello) async throws -> AuthenticatedUser {
        let user = try #require(hello.user)
        let name = user.rawValue == "carol" ? DisplayName(rawValue: "Carol C.") : nil
        return AuthenticatedUser(user: user, name: name, isProven: true)
    }

    func mayReach(_ user: UserID, by other: UserID) -> Bool { user.rawValue != "mallory" }
}
