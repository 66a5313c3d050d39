import RTCWire
import Testing

@testable import RTCMedia

@Suite("What data may send beside pictures")
struct DataBudgetTests {
    /// Lets both send for so long: pictures what they want of their share each 40 ms, data as much as they may.
    private func run(
        _ budget: inout DataBudget, rest: Int64, pictures wanted: Double, data wantsData: Bool = true,
        from start: Int64, to end: Int64
    ) -> (pictures: Double, data: Double, longest: Int) {
        var sums = (pictures: 0.0, data: 0.0, longest: 0)
        for time in start..<end {
            let now = Instant.zero + .milliseconds(time)
            if time % 40 == 0 {
                let bits = min(wanted, Double(budget.videoShare(of: rest, at: now))) * 0.04
                budget.noteVideoFrame(Int(bits / 8), at: now)
                sums.pictures += bits
            }
            budget.update(rest: rest, at: now)
            var burst = 0
            while wantsData, budget.nextOpening <= now {
                budget.noteData(1_200, at: now)
                budget.update(rest: rest, at: now)
                burst += 1_200
            }
            sums.data += Double(burst) * 8
            sums.longest = max(sums.longest, burst)
        }
        let seconds = Double(end - start) / 1_000
        return (sums.pictures / seconds, sums.data / seconds, sums.longest)
    }

    @Test("without media nothing is held back")
    func free() {
        var budget = DataBudget()
        budget.update(rest: nil, at: .zero)
        for _ in 0..<1_000 { budget.noteData(1_200, at: .zero) }
        #expect(budget.rate == nil && budget.nextOpening <= .zero)
    }

    @Test("when both want more it is by weight", arguments: [0.3, 0.5])
    func weight(share: Double) {
        var budget = DataBudget(share: share)
        _ = run(&budget, rest: 4_000_000, pictures: 1e9, data: false, from: 0, to: 2_000)
        let begin = run(&budget, rest: 4_000_000, pictures: 1e9, from: 2_000, to: 2_100)
        // They begin with little: encoders have yet to make less.
        #expect(begin.data < 900_000, "\(begin.data)")
        _ = run(&budget, rest: 4_000_000, pictures: 1e9, from: 2_100, to: 5_000)
        let both = run(&budget, rest: 4_000_000, pictures: 1e9, from: 5_000, to: 15_000)
        #expect(abs(both.data - 4_000_000 * share) < 250_000, "\(both.data)")
        #expect(abs(both.pictures - 4_000_000 * (1 - share)) < 250_000, "\(both.pictures)")
        // 5 ms and a packet.
        #expect(both.longest <= 3_600, "\(both.longest)")
    }

    @Test("what pictures leave data take, and yield at once")
    func leftOver() {
        var budget = DataBudget()
        _ = run(&budget, rest: 4_000_000, pictures: 500_000, from: 0, to: 4_000)
        let alone = run(&budget, rest: 4_000_000, pictures: 500_000, from: 4_000, to: 9_000)
        #expect(alone.data > 3_200_000, "\(alone.data)")
        let yielding = run(&budget, rest: 4_000_000, pictures: 1e9, from: 9_000, to: 10_000)
        #expect(yielding.data < 2_100_000, "\(yielding.data)")
        let after = run(&budget, rest: 4_000_000, pictures: 1e9, from: 10_000, to: 15_000)
        #expect(after.pictures > 2_600_000, "\(after.pictures)")
    }

    @Test("a rate that falls lets nothing wait for longer than a packet takes")
    func fall() {
        var budget = DataBudget()
        budget.update(rest: 100_000_000, at: .zero)
        for _ in 0..<1_000 { budget.noteData(1_200, at: .zero) }
        budget.update(rest: 500_000, at: .milliseconds(1))
        #expect(budget.nextOpening <= .milliseconds(200))
    }

    @Test("acknowledgements of what the other side sends keep no data waiting")
    func control() {
        var budget = DataBudget()
        budget.update(rest: 1_000_000, at: .zero)
        for time in 1...5_000 {
            let now = Instant.zero + .milliseconds(Int64(time))
            if time % 10 == 0 { budget.noteData(1_200, carriesData: false, at: now) }
            budget.update(rest: 1_000_000, at: now)
            #expect(budget.nextOpening <= now)
        }
        // Yet they are on the path.
        #expect(budget.traffic(at: .zero + .seconds(5)).sent > 800_000)
    }

    @Test("of what is acknowledged at once no more counts than has left")
    func bunched() {
        var budget = DataBudget()
        budget.update(rest: 2_000_000, at: .zero)
        for time in 0..<1_000 where time % 5 == 0 {
            budget.noteData(1_200, at: .zero + .milliseconds(Int64(time)))
        }
        let now = Instant.zero + .seconds(1)
        budget.noteAcknowledged(600_000, at: now)
        let traffic = budget.traffic(at: now)
        #expect(traffic.acknowledged > 10_000_000 && traffic.arrived <= traffic.sent, "\(traffic)")
    }
}
