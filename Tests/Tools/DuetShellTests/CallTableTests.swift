import RTC
import RTCMedia
import Testing
import WebRTCKit

@testable import DuetShell

@Suite("A call in words")
struct CallTableTests {
    @Test("How a call ends decides the exit status")
    func statuses() {
        #expect(CallStatus.of(.hungUp(by: .local), wasConnected: true) == 0)
        #expect(CallStatus.of(.hungUp(by: .remote), wasConnected: true) == 0)
        // Given up between the answer and the path, by us, by a person there, or because none was found.
        #expect(CallStatus.of(.hungUp(by: .local), wasConnected: false) == 130)
        #expect(CallStatus.of(.hungUp(by: .remote), wasConnected: false) == 5)
        for outcome in [
            Call.Outcome.neverConnected, .failed(.webRTCFailed("no codec")), .failed(.signalingFailed("no")),
        ] {
            #expect(CallStatus.of(outcome, wasConnected: false) == 1)
        }
        #expect(CallStatus.of(.connectionLost, wasConnected: true) == 1)
        #expect(CallStatus.of(.refused("no"), wasConnected: false) == 1)
        #expect(CallStatus.of(.unreachable, wasConnected: false) == 4)
        #expect(CallStatus.of(.declined(by: .remote), wasConnected: false) == 5)
        #expect(CallStatus.of(.declined(by: .local), wasConnected: false) == 0)
        #expect(CallStatus.of(.busy, wasConnected: false) == 6)
        #expect(CallStatus.of(.unanswered, wasConnected: false) == 7)
        #expect(CallStatus.of(.cancelled(by: .local), wasConnected: false) == 130)
        #expect(CallStatus.of(.cancelled(by: .remote), wasConnected: false) == 7)
    }

    @Test("Each ending has a sentence that names the other side")
    func sentences() {
        let endings: [Call.Outcome] = [
            .hungUp(by: .local), .hungUp(by: .remote), .cancelled(by: .local), .cancelled(by: .remote),
            .declined(by: .local), .declined(by: .remote), .busy, .unanswered, .unreachable, .answeredElsewhere,
            .declinedElsewhere, .neverConnected, .connectionLost, .replaced, .failed(.webRTCFailed("no codec")),
        ]
        for ending in endings {
            #expect(ending.sentence("bob").contains("bob"))
            #expect(!ending.sentence("bob").contains("\n"))
        }
        #expect(Set(endings.map { $0.sentence("bob") }).count == endings.count)
        #expect(Call.Outcome.declinedElsewhere.word == "declinedElsewhere")
        #expect(CallStatus.of(.declinedElsewhere, wasConnected: false) == CallStatus.noAnswer)
    }

    @Test("An echo that is not removed has a line of its own")
    func echo() async throws {
        let connection = try PeerConnection()
        var figures = CallFigures(await connection.getStats())
        await connection.close()
        #expect(CallTable.lines(figures, state: "connected", seconds: 1).count == 4)
        figures.echoCancellation = .holding
        #expect(CallTable.lines(figures, state: "connected", seconds: 1).count == 4)
        figures.echoCancellation = .lost(since: .zero)
        let lines = CallTable.lines(figures, state: "connected", seconds: 1)
        #expect(lines.count == 5 && lines[1].contains("echo"))
        var bytes: [UInt8] = []
        figures.event.write(into: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self).contains(#""echoCancellation":"lost""#))
    }

    @Test("Times")
    func times() {
        #expect(CallTable.time(0.9) == "0:00")
        #expect(CallTable.time(65) == "1:05")
        #expect(CallTable.time(3_661) == "1:01:01")
        #expect(CallTable.time(-1) == "0:00")
    }

    @Test("Quality: each level and reason in words, and as an event")
    func quality() {
        let texts = CallQuality.Reason.allCases.map { CallQuality(level: .poor, reason: $0).text }
        #expect(Set(texts).count == 4 && texts.allSatisfy { $0.hasPrefix("poor: ") })
        #expect(CallQuality(level: .excellent).line == "The call is excellent.")
        #expect(CallQuality(level: .bad, reason: .myNetwork).line == "The call is bad: your network.")
        func json(_ quality: CallQuality) -> String {
            var bytes: [UInt8] = []
            quality.event.write(into: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(json(CallQuality(level: .good)) == #"{"event":"quality","level":"good","reason":null}"#)
        #expect(
            json(CallQuality(level: .fair, reason: .theirProcessor))
                == #"{"event":"quality","level":"fair","reason":"theirProcessor"}"#)
    }

    @Test("Columns are filled up on either side")
    func padding() {
        #expect("ab".padded(4) == "ab  " && "ab".padded(4, right: true) == "  ab" && "abc".padded(2) == "abc")
    }

    @Test("Commands in JSON")
    func commands() {
        #expect(CallAction(parsing: Array(#"{"command":"hangUp"}"#.utf8)) == .hangUp)
        #expect(CallAction(parsing: Array(#"{"command":"answer"}"#.utf8)) == .accept)
        #expect(CallAction(parsing: Array(#"{"command":"reject"}"#.utf8)) == .reject)
        #expect(CallAction(parsing: Array(#"{"command":"close"}"#.utf8)) == .end)
        #expect(CallAction(parsing: Array(#"{"command":"restartIce"}"#.utf8)) == .restartICE)
        #expect(CallAction(parsing: Array(#"{"command":"mute","kind":"audio"}"#.utf8)) == .setMuted(true, .audio))
        #expect(CallAction(parsing: Array(#"{"command":"unmute","kind":"video"}"#.utf8)) == .setMuted(false, .video))
        #expect(CallAction(parsing: Array(#"{"command":"chat","text":"hello"}"#.utf8)) == .chat("hello"))
        for bad in ["", "{}", "[]", #"{"command":"dance"}"#, #"{"command":"mute"}"#, #"{"command":"chat"}"#, "\u{0}"] {
            #expect(CallAction(parsing: Array(bad.utf8)) == nil)
        }
    }
}
