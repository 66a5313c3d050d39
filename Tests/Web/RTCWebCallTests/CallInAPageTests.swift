import Foundation
import Logging
import RTCSignaling
import RTCWebView
import RTCWire
import Synchronization
import Testing
import WebRTCKit

@testable import RTCWebCall

/// A page on paper: it says what a page says to the bridge, and keeps what it is told.
@MainActor
final class PaperPage {
    static let origin = WebOrigin("https://call.example")!

    private let handler: WebCallRequestHandler
    private let log: Log
    private var last = 0

    struct Message: Decodable, Sendable {
        let id: Int?
        let document: Int?
        let event: String?
        let peer: String?
        let reason: String?
        let error: String?
        let statistics: WebCallStatistics?
    }

    private final class Log: Sendable {
        let messages = Mutex<[Message]>([])

        func note(_ text: String) {
            guard let message = try? JSONDecoder().decode(Message.self, from: Data(text.utf8)) else {
                Issue.record("no page can read \(text)")
                return
            }
            messages.withLock { $0.append(message) }
        }
    }

    init(_ driver: any WebCallDriver) {
        let log = Log()
        self.log = log
        handler = WebCallRequestHandler(driver) { text, origin in if origin == Self.origin { log.note(text) } }
    }

    /// What the bridge does with an event of the kit's.
    func tell(_ event: WebCallEvent) { log.note(WebCallMessage(event).text) }

    /// Asks, and waits for the reply.
    func ask(_ request: String) async throws -> Message {
        last += 1
        let id = last
        handler.received(#"{"id":\#(id),"document":7,\#(request)}"#, Self.origin)
        return try await wait("a reply to \(request)") { $0.first { $0.id == id && $0.document == 7 } }
    }

    /// - Parameter number: Which event of that name, beginning with 1.
    func event(_ name: String, number: Int = 1) async throws -> Message {
        try await wait("\(name), number \(number)") { $0.filter { $0.event == name }.dropFirst(number - 1).first }
    }

    /// Without those that tell of the quality: whether there are any depends on how long a call lasts.
    var events: [String] { log.messages.withLock { $0.compactMap(\.event) }.filter { $0 != "quality" } }

    private struct Silence: Error, CustomStringConvertible { let description: String }

    private func wait(
        _ what: String, find: ([Message]) -> Message?
    ) async throws -> Message {
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end {
            if let message = find(log.messages.withLock { $0 }) { return message }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Silence(description: "\(what) did not come; there is \(log.messages.withLock { $0 })")
    }
}

/// A page, and the call kit behind it, signed in at a server of this process.
@MainActor
struct Side {
    let page: PaperPage
    let controller: WebRTCController

    init(_ name: String, _ server: SignalingServer) async throws {
        var options = WebRTCKit.Options()
        options.network.bindAddress = .init(127, 0, 0, 1)
        options.sources.microphone = PacedAudioSource(Tone(frequency: 440))
        controller = await WebRTCKit.initialize(
            signalingServer: try DuetSignaling(url: server.url, user: name), config: Config(connectionTimeout: 20),
            options: options)
        let page = PaperPage(KitCallDriver(controller))
        self.page = page
        let events = controller.events
        Task { for await event in events { if let event = WebCallEvent(event) { page.tell(event) } } }
        try await controller.setupConnection()
    }
}

@Suite("A page makes calls with the kit", .timeLimit(.minutes(2)))
@MainActor
struct CallInAPageTests {
    @Test("One page calls, the other answers; they mute, look at figures, and hang up")
    func call() async throws {
        var configuration = SignalingServer.Configuration()
        configuration.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = try await SignalingServer.start(configuration)
        let (alice, bob) = (try await Side("alice", server), try await Side("bob", server))
        #expect(try await alice.page.ask(#""action":"statistics""#).error != nil, "there is no call")
        #expect(
            try await alice.page.ask(#""action":"setMuted","track":"microphone","muted":true"#).error != nil,
            "nothing is recorded")
        for side in [alice, bob] { try await side.controller.startRecording() }

        #expect(try await alice.page.ask(#""action":"call","peer":"bob""#).error == nil)
        #expect(try await bob.page.event("incoming").peer == "alice")
        _ = try await alice.page.event("ringing")
        #expect(try await bob.page.ask(#""action":"answer""#).error == nil)
        for side in [alice, bob] { _ = try await side.page.event("started") }

        #expect(
            try await alice.page.ask(#""action":"setMuted","track":"microphone","muted":true"#).error == nil)
        #expect(await alice.controller.localAudioTrack?.isEnabled == false)
        #expect(try await alice.page.ask(#""action":"setMuted","track":"camera","muted":true"#).error != nil)
        #expect(
            try await alice.page.ask(#""action":"setMuted","track":"microphone","muted":false"#).error == nil)
        #expect(await alice.controller.localAudioTrack?.isEnabled == true)

        var sent: UInt64 = 0
        while sent == 0 {
            let figures = try #require(try await bob.page.ask(#""action":"statistics""#).statistics)
            sent = figures.bytesSent
        }

        #expect(try await bob.page.ask(#""action":"hangUp""#).error == nil)
        for side in [alice, bob] { #expect(try await side.page.event("ended").reason == nil) }
        #expect(alice.page.events == ["ringing", "started", "ended"])
        #expect(bob.page.events == ["incoming", "started", "ended"])
        for side in [alice, bob] { try await side.controller.disconnect() }
        await server.stop()
    }

    @Test("A call that is refused, and one to nobody, end with a reason")
    func refused() async throws {
        var configuration = SignalingServer.Configuration()
        configuration.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = try await SignalingServer.start(configuration)
        let (alice, bob) = (try await Side("alice", server), try await Side("bob", server))
        for side in [alice, bob] { try await side.controller.startRecording() }
        _ = try await alice.page.ask(#""action":"call","peer":"bob""#)
        _ = try await bob.page.event("incoming")
        #expect(try await bob.page.ask(#""action":"answer","accept":false"#).error == nil)
        #expect(try await alice.page.event("ended").reason == "\(CallManagerError.rejected)")
        #expect(try await bob.page.event("ended").reason == nil)

        // Carol has never signed in. The other device, which calls her, has been in no call before.
        #expect(try await bob.page.ask(#""action":"call","peer":"carol""#).error == nil)
        #expect(try await bob.page.event("ended", number: 2).reason == "\(CallManagerError.peerUnavailable)")
        #expect(alice.page.events == ["ringing", "ended"])
        #expect(bob.page.events == ["incoming", "ended", "ended"])
        for side in [alice, bob] { try await side.controller.disconnect() }
        await server.stop()
    }
}
