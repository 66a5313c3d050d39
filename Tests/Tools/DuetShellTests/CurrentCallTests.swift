import RTCSignaling
import Testing

@testable import DuetShell
@testable import WebRTCKit

@Suite("How a call ends, as far as the kit tells it")
struct CurrentCallTests {
    @Test(
        "Each outcome of the kit has a word for scripts and a sentence for people; what the session ends a call for counts first"
    )
    func outcomes() throws {
        let id = try #require(CallIdentifier(rawValue: "0123456789abcdef"))
        var call = CurrentCall(
            number: 1, Call(id: id, peer: Call.Peer(id: "bob"), direction: .outgoing, state: .calling, media: []))
        let expected: [(Call.Outcome, String, String)] = [
            (.cancelled(by: .remote), "cancelled", "bob gave up."),
            (.declined(by: .remote), "rejected", "bob declined the call."), (.busy, "busy", "bob is in another call."),
            (.unanswered, "noAnswer", "bob did not answer."),
            (.unreachable, "unavailable", "Nobody is signed in as bob."),
            (.neverConnected, "connectionFailed", "The call with bob failed: no path was found."),
            (.connectionLost, "connectionFailed", "The call with bob failed: the path is lost."),
            (.failed(.signalingFailed("no server")), "refused", "The call with bob failed: no server."),
            (.refused("no"), "refused", "The server refused the call: no"),
            (
                .failed(.webRTCFailed("the certificate is another")), "connectionFailed",
                "The call with bob failed: the certificate is another."
            ),
            (.hungUp(by: .remote), "theyHungUp", "bob hung up."),
        ]
        for (outcome, word, sentence) in expected {
            call.call.outcome = outcome
            #expect(call.outcome.word == word && call.outcome.sentence(call.peerName) == sentence)
        }
        call.ending = .connectionLost
        #expect(call.outcome == .connectionLost)
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
