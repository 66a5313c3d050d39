import Foundation
import Testing

@testable import DuetShell
@testable import WebRTCKit

@Suite("The code of a call")
struct CallVerificationTests {
    private let code = VerificationCode(digest: [UInt8](0..<32))

    private func json(_ status: VerificationStatus) -> String { String(decoding: status.event.line, as: UTF8.self) }

    @Test("It is an event with pictures, their names and digits")
    func event() throws {
        let code = try #require(code)
        struct Event: Decodable {
            var event: String
            var status: String
            var emoji: [String]
            var names: [String]
            var digits: String
        }
        let event = try JSONDecoder().decode(Event.self, from: Data(json(.code(code)).utf8))
        #expect(event.event == "verification" && event.status == "code")
        #expect(event.emoji == code.emoji && event.names == code.emojiNames && event.digits == code.digits)
        #expect(json(.failed) == #"{"event":"verification","status":"failed"}"# + "\n")
    }

    @Test("A person reads it in one line, and as few words in the window")
    func words() throws {
        let code = try #require(code)
        let line = VerificationStatus.code(code).line
        for part in code.emoji + code.emojiNames + [code.groupedDigits] { #expect(line.contains(part)) }
        #expect(!line.contains("\n"))
        let label = VerificationStatus.code(code).label
        for part in code.emoji + [code.groupedDigits] { #expect(label.contains(part)) }
        #expect(VerificationStatus.waiting.label == "No code")
        #expect(VerificationStatus.waiting.line.contains("cannot be told"))
        #expect(json(.waiting) == #"{"event":"verification","status":"waiting"}"# + "\n")
        #expect(VerificationStatus.failed.line == VerificationStatus.failed.label)
        #expect(VerificationStatus.failed.label.contains("do not trust"))
    }
}
