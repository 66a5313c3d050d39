import RTCWire
import Testing

@testable import NATS

/// A connection's rules in virtual time, with the server played by the test.
final class VirtualConnection {
    var rules: ConnectionRules
    var now = Instant.zero
    /// All that has not been looked at yet.
    var effects: [ConnectionEffect] = []
    var said = ""

    static let info =
        #"INFO {"server_id":"S","server_name":"one","version":"2.9.10","max_payload":1000,"headers":true,"jetstream":true}"#

    init(servers: [String] = ["one"], seed: UInt64 = 1, _ change: (inout ConnectionOptions) -> Void = { _ in }) throws {
        var options = ConnectionOptions(servers: try servers.map { try NATSServer($0) })
        change(&options)
        rules = ConnectionRules(options, random: SeededRandom(seed: seed))
    }

    func settle() {
        said += String(decoding: rules.takeOutput(), as: UTF8.self)
        effects += rules.takeEffects()
    }

    func take() -> [ConnectionEffect] {
        settle()
        defer { effects = [] }
        return effects
    }

    func takeSaid() -> String {
        settle()
        defer { said = "" }
        return said
    }

    func start() {
        rules.start(at: now)
        settle()
    }

    /// The server says lines.
    func hear(_ lines: String...) {
        for line in lines { rules.received(Array((line + "\r\n").utf8), at: now) }
        settle()
    }

    func open() {
        rules.opened(at: now)
        settle()
    }

    /// Goes through the greeting, from the open channel on.
    func greet(_ info: String = VirtualConnection.info) {
        open()
        hear(info, "PONG")
    }

    func lose(_ error: NATSError? = nil) {
        rules.channelClosed(error, at: now)
        settle()
    }

    func pass(_ time: TimeDelta) {
        let end = now + time
        while let next = rules.nextDeadline, next <= end {
            now = max(now, next)
            rules.tick(at: now)
            settle()
        }
        now = end
    }

    /// Lets time pass until the next attempt, and returns how much.
    func passUntilAttempt() -> TimeDelta {
        let begin = now
        for _ in 0..<1_000 {
            if rules.phase == .opening { break }
            guard let next = rules.nextDeadline else { break }
            now = max(now, next)
            rules.tick(at: now)
            settle()
        }
        return now - begin
    }
}

extension [ConnectionEffect] {
    var opened: [NATSServer] {
        compactMap { if case .open(let server, _) = $0 { server } else { nil } }
    }

    var events: [NATSEvent] {
        compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    var answers: [UInt64: Result<NATSMessage, NATSError>] {
        var answers: [UInt64: Result<NATSMessage, NATSError>] = [:]
        for case .answer(let id, let result) in self { answers[id] = result }
        return answers
    }

    var finish: NATSError?? {
        for case .finished(let error) in self { return .some(error) }
        return nil
    }

    var start: NATSError?? {
        for case .started(let error) in self { return .some(error) }
        return nil
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
