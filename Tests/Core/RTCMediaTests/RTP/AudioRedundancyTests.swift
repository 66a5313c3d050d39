import RTCWire
import Testing

@testable import RTCMedia

@Suite("Which earlier frames packets of sound carry along")
struct AudioRedundancyTests {
    private static let frames = Bitrate.kilobits(32)
    private static let room = Bitrate.kilobits(200)

    /// The plan after these shares of loss, one after another.
    private static func plan(
        _ shares: [Double], row: Double = 1, room: Bitrate = AudioRedundancyTests.room,
        from redundancy: AudioRedundancy = AudioRedundancy()
    ) -> AudioRedundancy {
        var redundancy = redundancy
        for share in shares { redundancy.update(share: share, row: row, frames: Self.frames, room: room) }
        return redundancy
    }

    @Test("Nothing on a clean path, and nothing for single losses that the codec repairs")
    func clean() {
        for share in [0, 0.001, 0.01, 0.025] { #expect(Self.plan([share]).plan == .none) }
        #expect(!AudioRedundancy().plan.repeatsPrevious)
    }

    @Test("Where the codec repairs nothing, one frame from one per cent on")
    func alone() {
        func plan(_ shares: [Double]) -> AudioRedundancy.Plan {
            var redundancy = AudioRedundancy()
            for share in shares {
                redundancy.update(share: share, row: 1, frames: Self.frames, room: Self.room, codecRepairs: false)
            }
            return redundancy.plan
        }
        for share in [0, 0.001, 0.009] { #expect(plan([share]) == .none) }
        for share in [0.01, 0.025, 0.04] { #expect(plan([share]) == .init(frames: 1)) }
        #expect(plan([0.01, 0.008]) == .init(frames: 1))
        #expect(plan([0.01, 0.006]) == .none)
        #expect(plan([0.1]) == .init(frames: 2))
    }

    @Test("One frame where some are lost, two where many are or several in a row")
    func loss() {
        #expect(Self.plan([0.04]).plan == .init(frames: 1))
        #expect(Self.plan([0.1]).plan == .init(frames: 2))
        #expect(Self.plan([0.04], row: 2.2).plan == .init(frames: 2))
        #expect(Self.plan([0.04], row: 6).plan == .init(frames: 2, spacing: 2))
        #expect(!Self.plan([0.04], row: 6).plan.repeatsPrevious && Self.plan([0.1]).plan.repeatsPrevious)
        let furthest = Self.plan([0.2], row: 20).plan
        #expect(furthest.frames * furthest.spacing == AudioRedundancy.longestDistance)
    }

    @Test("It ends later than it begins")
    func hysteresis() {
        #expect(Self.plan([0.04, 0.01]).plan == .init(frames: 1))
        #expect(Self.plan([0.04, 0.006]).plan == .none)
        #expect(Self.plan([0.1, 0.05]).plan == .init(frames: 2))
        #expect(Self.plan([0.1, 0.03]).plan == .init(frames: 1))
        let long = Self.plan([0.04], row: 6)
        #expect(Self.plan([0.04], row: 3, from: long).plan.spacing == 2)
        #expect(Self.plan([0.04], row: 2, from: long).plan == .init(frames: 2))
        // A share that goes up and down around a threshold makes one change.
        var redundancy = AudioRedundancy()
        var changes = 0
        for step in 0..<100 {
            let before = redundancy.plan
            redundancy = Self.plan([step % 2 == 0 ? 0.032 : 0.026], from: redundancy)
            if before != redundancy.plan { changes += 1 }
        }
        #expect(changes == 1)
    }

    @Test("It gives way where sound has no room, one frame after the other")
    func room() {
        #expect(Self.plan([0.1], room: .kilobits(40)).plan == .none)
        // Two frames and their headers take 100 kbit/s, one takes 66.
        #expect(Self.plan([0.1], room: .kilobits(90)).plan == .init(frames: 1))
        #expect(Self.plan([0.1], room: .kilobits(130)).plan == .init(frames: 2))
        let two = Self.plan([0.1])
        #expect(Self.plan([0.1], room: .kilobits(101), from: two).plan == .init(frames: 2))
        #expect(Self.plan([0.1], room: .kilobits(99), from: two).plan == .init(frames: 1))
        #expect(Self.plan([0.1], room: .kilobits(60), from: two).plan == .none)
        // It comes back only when there is a fifth more than it needs.
        let one = Self.plan([0.1], room: .kilobits(99), from: two)
        #expect(Self.plan([0.1], room: .kilobits(110), from: one).plan == .init(frames: 1))
        #expect(Self.plan([0.1], room: .kilobits(126), from: one).plan == .init(frames: 2))
    }

    @Test("Stopped, it begins anew")
    func stop() {
        var redundancy = Self.plan([0.1])
        redundancy.stop()
        #expect(redundancy.plan == .none)
        redundancy.update(share: 0.01, row: 1, frames: Self.frames, room: Self.room)
        #expect(redundancy.plan == .none)
    }
}
