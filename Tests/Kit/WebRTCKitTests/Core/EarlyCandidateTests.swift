import RTCPeer
import RTCWire
import Testing

@testable import WebRTCKit

@Suite("Candidates that come early")
struct EarlyCandidateTests {
    private let calls: [CallIdentifier] = {
        let random = SeededRandom(seed: 1)
        return (0..<20).map { _ in CallIdentifier.random(from: random) }
    }()

    @Test("Before the invitation, before the answer of our person: all are kept, in order")
    func kept() throws {
        let bob = Kit("bob")
        bob.hearsCandidate("c1", of: calls[0], from: "alice")
        bob.hearsCandidate("c2", of: calls[0], from: "alice")
        bob.hearsCandidate("x", of: calls[0], from: "mallory")
        bob.hears(.invite(sdp: "o", media: []), of: calls[0], from: "alice")
        bob.hearsCandidate("c3", of: calls[0], from: "alice")
        bob.hearsCandidate("y", of: calls[0], from: "mallory")
        bob.expect("incomingCall alice", "to alice: ringing")
        try bob.accept()
        bob.expect(
            "open 1 polite, waits", "receive 1 offer o", "receive 1 c1", "receive 1 c2", "receive 1 c3")
    }

    @Test("64 of a call, and eight calls; what is more is counted")
    func bounds() throws {
        let bob = Kit("bob")
        for number in 0..<70 { bob.hearsCandidate("c\(number)", of: calls[0], from: "alice") }
        #expect(bob.core.counters.surplusCandidates == 6)
        bob.hears(.invite(sdp: "o", media: []), of: calls[0], from: "alice")
        bob.hearsCandidate("one more", of: calls[0], from: "alice")
        #expect(bob.core.counters.surplusCandidates == 7)
        try bob.accept()
        #expect(bob.takeLines().suffix(65) == ["receive 1 offer o"] + (0..<64).map { "receive 1 c\($0)" })
        bob.hearsCandidate("now", of: calls[0], from: "alice")
        bob.expect("receive 1 now")
        try bob.end()
        _ = bob.takeLines()

        for call in calls[1...9] { bob.hearsCandidate("c", of: call, from: "alice") }
        #expect(bob.core.counters.surplusCandidates == 8)
        for (call, line) in [(calls[1], []), (calls[2], ["receive 3 c"])] {
            bob.hears(.invite(sdp: "o", media: []), of: call, from: "alice")
            try bob.accept()
            #expect(bob.takeLines().filter { $0.hasSuffix(" c") } == line)
            try bob.end()
            _ = bob.takeLines()
            if line.isEmpty { bob.hears(.cancel(.cancelled), of: call, from: "alice") }
        }
    }

    @Test("After a minute without an invitation they are dropped, and nothing is due because of them")
    func expiry() throws {
        let bob = Kit("bob")
        bob.hearsCandidate("old", of: calls[0], from: "alice")
        bob.wait(.seconds(30))
        bob.hearsCandidate("new", of: calls[1], from: "alice")
        #expect(bob.core.nextDeadline == nil)
        bob.wait(.milliseconds(30_001))
        bob.hears(.invite(sdp: "o", media: []), of: calls[0], from: "alice")
        try bob.accept()
        #expect(bob.takeLines().suffix(2) == ["open 1 polite, waits", "receive 1 offer o"])
        try bob.end()
        bob.hears(.invite(sdp: "o", media: []), of: calls[1], from: "alice")
        try bob.accept()
        #expect(bob.takeLines().suffix(2) == ["receive 2 offer o", "receive 2 new"])
    }
}
