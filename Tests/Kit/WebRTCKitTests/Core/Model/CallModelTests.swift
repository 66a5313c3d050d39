import Foundation
import RTCSimulation
import Testing

@testable import WebRTCKit

@Suite("Two kits, whatever their people do and whatever breaks")
struct CallModelTests {
    /// 1 to 50, or to `DUET_SEEDS` from the environment.
    private static let seeds = ProcessInfo.processInfo.environment["DUET_SEEDS"].flatMap { UInt64($0) } ?? 50

    @Test("come to agree, leave nothing behind, and can call again")
    func model() {
        var tally: [String: Int] = [:]
        for seed in 1...max(1, Self.seeds) {
            let model = CallModel(seed: seed)
            run(model)
            tally.merge(model.tally) { $0 + $1 }
            guard !model.faults.isEmpty else { continue }
            // Once more, to see how it came about.
            let again = CallModel(seed: seed, keepsJournal: true)
            run(again)
            Issue.record(
                "seed \(seed): \(model.faults.joined(separator: "; "))\n\(again.journal.joined(separator: "\n"))")
        }
        // A model in which nothing happens proves nothing.
        guard Self.seeds >= 50 else { return }
        for event in Self.events { #expect(tally[event, default: 0] > 0, "\(event) never happened: \(tally)") }
        #expect(tally["started", default: 0] > 4 * Int(Self.seeds))
    }

    private static let events = [
        "invite", "ringing", "answer", "reject declined", "reject noAnswer", "busy", "cancel cancelled",
        "cancel noAnswer", "cancel glare", "hangUp normal", "hangUp connectionFailed", "hangUp replaced",
        "negotiate offer", "negotiate answer", "verify commit", "verify nonce", "verify reveal", "endCall", "candidate",
        "incomingCall", "started", "connectionLost", "connectionRestored", "code", "restart", "polite", "ended",
        "ended rejected", "ended noAnswer", "ended busy", "ended connectionLost", "ended connectionTimeout",
        "ended signalingFailed(\"not sent\")",
    ]

    private func run(_ model: CallModel) {
        for number in 0..<3 {
            // The first is for people alone: then every call that is accepted has to come about.
            model.episode(withMisfortune: number > 0)
            model.checkAgreement()
            guard model.faults.isEmpty else { return }
            model.checkNextCall()
            guard model.faults.isEmpty else { return }
        }
    }

    @Test("do the same things again from the same seed")
    func repeatable() {
        let runs = (0..<2).map { _ in
            let model = CallModel(seed: 7, keepsJournal: true)
            run(model)
            return (model.journal, model.network.trafficFingerprint)
        }
        #expect(runs[0].0 == runs[1].0 && runs[0].0.count > 100)
        #expect(runs[0].1 == runs[1].1)
    }
}
