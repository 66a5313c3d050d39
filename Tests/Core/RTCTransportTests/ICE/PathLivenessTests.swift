import RTCWire
import Testing

@testable import RTCTransport

@Suite("Whether a path still carries packets")
struct PathLivenessTests {
    /// Where packets come every `interval` until `end`.
    private func flowing(
        every interval: TimeDelta = .milliseconds(20), until end: Instant, _ body: (inout PathLiveness, Instant) -> Void
    ) -> PathLiveness {
        var liveness = PathLiveness()
        var now = Instant.zero
        while now <= end {
            body(&liveness, now)
            #expect(liveness.judgement(roundTrip: nil, at: now) == .well)
            now += interval
        }
        return liveness
    }

    private func sound(until end: Instant, every interval: TimeDelta = .milliseconds(20)) -> PathLiveness {
        flowing(every: interval, until: end) { $0.noteArrival(at: $1) }
    }

    private let end = Instant.zero + .seconds(2)

    @Test("Sound that stops is doubted after five packets, deeply after half a second, and dead after two")
    func silence() {
        var liveness = sound(until: end)
        #expect(liveness.doubtfulFrom == end + .milliseconds(100))
        let beginsEarly = liveness.update(at: end + .milliseconds(99))
        #expect(!beginsEarly)
        let begins = liveness.update(at: end + .milliseconds(100))
        #expect(begins)
        #expect(liveness.doubtedSince == end + .milliseconds(100))
        let roundTrip = TimeDelta.milliseconds(60)
        #expect(liveness.judgement(roundTrip: roundTrip, at: end + .milliseconds(549)) == .inDoubt)
        #expect(liveness.nextChange(roundTrip: roundTrip, at: end + .milliseconds(100)) == end + .milliseconds(550))
        #expect(liveness.judgement(roundTrip: roundTrip, at: end + .milliseconds(550)) == .inDeepDoubt)
        #expect(liveness.nextChange(roundTrip: roundTrip, at: end + .milliseconds(550)) == end + .milliseconds(1_920))
        #expect(liveness.judgement(roundTrip: roundTrip, at: end + .milliseconds(1_919)) == .inDeepDoubt)
        #expect(liveness.judgement(roundTrip: roundTrip, at: end + .milliseconds(1_920)) == .dead)
        #expect(liveness.nextChange(roundTrip: roundTrip, at: end + .milliseconds(1_920)) == nil)
    }

    @Test("A long round trip gets more time, up to a second more")
    func slow() {
        var liveness = sound(until: end)
        let begins = liveness.update(at: end + .milliseconds(100))
        #expect(begins)
        #expect(liveness.judgement(roundTrip: .milliseconds(400), at: end + .milliseconds(2_599)) == .inDeepDoubt)
        #expect(liveness.judgement(roundTrip: .seconds(30), at: end + .milliseconds(2_800)) == .dead)
    }

    @Test("An answered check ends the doubt; what comes by other ways, as feedback may, does not")
    func reassured() {
        var liveness = sound(until: end)
        let begins = liveness.update(at: end + .milliseconds(100))
        #expect(begins)
        liveness.noteFeedback(at: end + .milliseconds(150))
        #expect(liveness.doubtedSince != nil)
        liveness.noteAnsweredCheck(at: end + .milliseconds(200))
        #expect(liveness.judgement(roundTrip: nil, at: end + .seconds(10)) == .well)
        // The pause goes on: it is asked again, later each time, and then not at all.
        var asked: [Instant] = []
        while let due = liveness.doubtfulFrom {
            guard liveness.update(at: due), asked.count < 10 else { break }
            asked.append(due)
            liveness.noteAnsweredCheck(at: due + .milliseconds(60))
        }
        #expect(asked.count >= 2 && asked.count <= 5)
        let waits = zip([end + .milliseconds(200)] + asked.map { $0 + .milliseconds(60) }, asked).map { $1 - $0 }
        #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("Sound that comes again is watched as before")
    func again() {
        var liveness = sound(until: end)
        for _ in 0..<5 {
            guard let due = liveness.doubtfulFrom, liveness.update(at: due) else { break }
            liveness.noteAnsweredCheck(at: due)
        }
        #expect(!liveness.isWatching)
        var now = end + .seconds(10)
        for _ in 0..<100 {
            now += .milliseconds(20)
            liveness.noteArrival(at: now)
        }
        #expect(liveness.doubtfulFrom.map { $0 - now <= .milliseconds(300) } ?? false)
    }

    @Test("After a stall, what arrives is a sign of life, though the answer to the check still waits in the queue")
    func stall() {
        var liveness = sound(until: end)
        let begins = liveness.update(at: end + .milliseconds(100))
        #expect(begins)
        liveness.noteArrival(at: end + .seconds(1))
        liveness.noteArrival(at: end + .milliseconds(1_001))
        #expect(liveness.judgement(roundTrip: nil, at: end + .milliseconds(1_500)) == .inDoubt)
        #expect(liveness.judgement(roundTrip: nil, at: end + .milliseconds(3_000)) == .dead)
    }

    @Test("Feedback that stays away is doubted, though the peer's packets arrive")
    func oneDirection() {
        func fill(_ liveness: inout PathLiveness, _ now: Instant) {
            liveness.noteArrival(at: now)
            liveness.noteSent(at: now)
        }
        var liveness = flowing(until: end) { liveness, now in
            if now.nanoseconds % 60_000_000 == 0 { liveness.noteFeedback(at: now) }
            fill(&liveness, now)
        }
        var now = end
        while liveness.doubtedSince == nil, now < end + .seconds(1) {
            now += .milliseconds(20)
            fill(&liveness, now)
            _ = liveness.update(at: now)
        }
        #expect(now - end <= .milliseconds(300))
        // Arrivals never paused, so they say nothing of the other direction.
        while liveness.judgement(roundTrip: .milliseconds(60), at: now) != .dead, now < end + .seconds(3) {
            now += .milliseconds(20)
            fill(&liveness, now)
        }
        #expect(now - end > .milliseconds(1_850) && now - end < .milliseconds(2_100))
    }

    @Test("No feedback is expected of what was not sent")
    func nothingSent() {
        var liveness = flowing(until: end) { liveness, now in
            liveness.noteSent(at: now)
            if now.nanoseconds % 60_000_000 == 0 { liveness.noteFeedback(at: now) }
        }
        liveness.noteFeedback(at: end + .milliseconds(10))
        #expect(liveness.doubtfulFrom == nil)
        let begins = liveness.update(at: end + .seconds(60))
        #expect(!begins)
    }

    @Test("Where little comes, its absence is no reason for doubt", arguments: [400, 1_000, 5_000] as [Int64])
    func rare(interval: Int64) {
        var liveness = sound(until: .zero + .seconds(100), every: .milliseconds(interval))
        #expect(!liveness.isWatching)
        let begins = liveness.update(at: .zero + .seconds(200))
        #expect(!begins)
    }

    @Test("Long packets of sound, and feedback alone, are waited for longer", arguments: [60, 100] as [Int64])
    func slower(interval: Int64) throws {
        let liveness = sound(until: .zero + .seconds(10), every: .milliseconds(interval))
        let last = Instant.zero + .milliseconds(10_000 / interval * interval)
        let patience = try #require(liveness.doubtfulFrom) - last
        #expect(patience >= .milliseconds(interval * 3) && patience <= .milliseconds(interval * 4))
    }

    @Test("Nothing is doubted before a rhythm is known")
    func young() {
        let liveness = sound(until: .zero + .milliseconds(180))
        #expect(!liveness.isWatching)
        #expect(PathLiveness().doubtfulFrom == nil)
        #expect(PathLiveness().judgement(roundTrip: nil, at: end) == .well)
    }

    @Test("A peer that checks this path and another at once has doubts, which are shared, but not in turn for ever")
    func hint() {
        var liveness = sound(until: end)
        liveness.notePeerCheck(isHere: true, at: end + .milliseconds(5))
        #expect(liveness.doubtedSince == nil)
        liveness.notePeerCheck(isHere: false, at: end + .milliseconds(200))
        #expect(liveness.doubtedSince == nil)
        liveness.notePeerCheck(isHere: true, at: end + .milliseconds(220))
        #expect(liveness.doubtedSince == end + .milliseconds(220))
        liveness.noteAnsweredCheck(at: end + .milliseconds(280))
        liveness.notePeerCheck(isHere: false, at: end + .milliseconds(300))
        liveness.notePeerCheck(isHere: true, at: end + .milliseconds(300))
        #expect(liveness.doubtedSince == nil)
        var idle = PathLiveness()
        idle.notePeerCheck(isHere: false, at: end)
        idle.notePeerCheck(isHere: true, at: end)
        #expect(idle.doubtedSince == nil)
    }

    @Test("What has answered late before gets more time, until it answers soon again")
    func late() {
        var liveness = sound(until: end)
        _ = liveness.update(at: end + .milliseconds(100))
        liveness.noteAnsweredCheck(at: end + .milliseconds(1_400))
        var now = end + .milliseconds(1_400)
        for _ in 0..<100 {
            now += .milliseconds(20)
            liveness.noteArrival(at: now)
        }
        let due = liveness.doubtfulFrom ?? .distantFuture
        _ = liveness.update(at: due)
        let roundTrip = TimeDelta.milliseconds(60)
        #expect(liveness.judgement(roundTrip: roundTrip, at: now + .milliseconds(2_700)) == .inDeepDoubt)
        #expect(liveness.judgement(roundTrip: roundTrip, at: now + .milliseconds(2_800)) == .dead)
        liveness.noteAnsweredCheck(at: due + .milliseconds(60))
        for _ in 0..<100 {
            now += .milliseconds(20)
            liveness.noteArrival(at: now)
        }
        _ = liveness.update(at: liveness.doubtfulFrom ?? .distantFuture)
        #expect(liveness.judgement(roundTrip: roundTrip, at: now + .milliseconds(1_921)) == .dead)
    }

    @Test("A machine that slept gives the path its time")
    func slept() {
        var liveness = sound(until: end)
        let awake = end + .seconds(3_600)
        let begins = liveness.update(at: awake)
        #expect(begins)
        #expect(liveness.judgement(roundTrip: nil, at: awake) == .inDoubt)
        #expect(liveness.judgement(roundTrip: nil, at: awake + .seconds(1)) == .inDeepDoubt)
        #expect(liveness.judgement(roundTrip: nil, at: awake + .seconds(2)) == .dead)
    }

    @Test("Pictures come in bursts, and stalls of 200 ms come often: neither makes the patience much longer")
    func bursts() throws {
        var liveness = PathLiveness()
        var now = Instant.zero
        for index in 0..<500 {
            now += index % 25 == 24 ? .milliseconds(200) : .milliseconds(20)
            for _ in 0..<5 {
                now += .microseconds(300)
                liveness.noteArrival(at: now)
            }
        }
        let patience = try #require(liveness.doubtfulFrom) - now
        #expect(patience < .milliseconds(300), "\(patience.milliseconds)")
    }
}
