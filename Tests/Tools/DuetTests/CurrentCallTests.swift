import RTCSignaling
import Testing
import WebRTCKit

@testable import duet

@Suite("How a call ends, as far as the kit tells it")
struct CurrentCallTests {
    @Test("Each error of the kit has an outcome, and so has none")
    func outcomes() {
        var call = CurrentCall(number: 1, id: nil, isCaller: true, name: "bob")
        let expected: [(CallManagerError?, CallOutcome)] = [
            (nil, .cancelled(byUs: false)), (.rejected, .rejected(byUs: false, reason: "declined")), (.busy, .busy),
            (.noAnswer, .noAnswer), (.peerUnavailable, .unavailable),
            (.connectionTimeout, .connectionFailed("no path was found")),
            (.connectionLost, .connectionFailed("the path to bob is lost")), (.signalingFailed("no"), .refused("no")),
            (.webRTCFailed("the certificate is another"), .connectionFailed("the certificate is another")),
        ]
        for (error, outcome) in expected { #expect(call.outcome(error) == outcome) }
        call.isAnswered = true
        #expect(call.outcome(nil) == .hungUp(byUs: false, reason: "normal"))
    }

    @Test("What the kit is told follows from the options")
    func settings() throws {
        var answering = CallSettings.Answering()
        var settings = CallSettings(role: .answer(answering))
        try settings.config.validate()
        #expect(settings.options(speaker: nil).acceptsAutomatically)
        answering.rejects = true
        #expect(!CallSettings(role: .answer(answering)).options(speaker: nil).acceptsAutomatically)
        answering = CallSettings.Answering(ringing: .seconds(1))
        #expect(!CallSettings(role: .answer(answering)).options(speaker: nil).acceptsAutomatically)

        let address = try #require(SignalingAddress("bob"))
        settings = CallSettings(role: .call(address, .init(lifetime: 7)))
        let options = settings.options(speaker: nil)
        // The server has the say.
        #expect(settings.ringTime == 7 && options.ringTimeout > .seconds(7))
        // Congestion control begins below what the bitrates are limited to.
        #expect(try #require(options.startBitrate) < settings.config.video.startBitrate)
    }
}
