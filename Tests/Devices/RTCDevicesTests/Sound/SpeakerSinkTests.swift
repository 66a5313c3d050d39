import Testing

@testable import RTCDevices

@Suite("What plays on Linux when a server of sound comes back")
struct SpeakerSinkTests {
    @Test("For five seconds nothing but the best that is installed, then whatever works")
    func patience() {
        for seconds in 1..<SpeakerSink.patience {
            #expect(SpeakerSink.returning(after: seconds, of: SpeakerSink.allCases) == [.pulse])
            #expect(SpeakerSink.returning(after: seconds, of: [.pipeWire, .card]) == [.pipeWire])
        }
        #expect(SpeakerSink.returning(after: SpeakerSink.patience, of: SpeakerSink.allCases) == SpeakerSink.allCases)
    }

    @Test("The card itself is not taken away from a server that is about to come back")
    func card() {
        #expect(SpeakerSink.returning(after: 1, of: [.card]) == [])
        #expect(SpeakerSink.returning(after: SpeakerSink.patience, of: [.card]) == [.card])
    }
}
