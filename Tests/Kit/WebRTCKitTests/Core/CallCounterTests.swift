import Foundation
import Testing

@testable import WebRTCKit

@Suite("What a call passes over")
struct CallCounterTests {
    @Test("is named, where it is not nothing, and counted from call to call")
    func names() {
        var first = CallCore.Counters()
        #expect(first.description == "")
        first.malformedSignals = 2
        first.late = 1
        #expect(first.description == "malformed signals 2, late 1")
        var second = first
        second.late = 5
        second.illegalChanges = 1
        #expect(second.since(first).description == "late 4, illegal state changes 1")
        #expect(first.since(first) == .init())
    }

    @Test("is written to the log when the call ends, once", .timeLimit(.minutes(1)))
    func log() async throws {
        let lines = LogLines()
        let pair = try await CallPair { $0.logger = lines.logger }
        try await pair.alice.call(pair.bob)
        let connection = pair.alice.signaling
        try await connection.sendSignal(.init("nonsense".utf8), to: "bob")
        try await pair.hangUp()
        func passedOver() -> [String] { lines.all.filter { $0.hasPrefix("Passed over") } }
        #expect(await eventually { passedOver().contains { $0.contains("malformed signals 1") } })
        try await pair.alice.call(pair.bob, times: 2)
        try await pair.alice.hangUp(pair.bob, times: 2)
        #expect(passedOver().count { $0.contains("malformed signals") } == 1)
    }
}
