import RTCFrames
import RTCWire
import Testing

@Suite("The test picture")
struct TestPatternTests {
    private let pool = I420BufferPool()

    @Test("Says its number and its clock, in any size", arguments: [(1_280, 720), (640, 360), (160, 120), (333, 251)])
    func readsBack(width: Int, height: Int) throws {
        var picture = TestPattern(width: width, height: height, clockOffset: .milliseconds(5))
        for number in 0..<300 {
            let now = Instant.zero + .milliseconds(Int64(number) * 33)
            let frame = try picture.drawn(at: now)
            let reading = TestPattern.read(from: frame.buffer)
            #expect(reading == .init(number: UInt32(number), microseconds: UInt64(number) * 33_000 + 5_000))
        }
    }

    @Test(
        "Can be read after scaling to half, to a third, and up",
        arguments: [(640, 360), (426, 240), (1_280, 720), (160, 90)])
    func readsScaled(width: Int, height: Int) throws {
        var picture = TestPattern(width: 640, height: 480)
        for number in 0..<20 {
            let frame = try picture.drawn(at: .zero + .seconds(1_000_000))
            let whole = try #require(frame.buffer.i420(from: pool))
            let scaled = whole.scaled(width: width, height: height, pool: pool)
            #expect(TestPattern.read(from: scaled)?.number == UInt32(number))
            #expect(TestPattern.read(from: scaled)?.microseconds == 1_000_000_000_000)
        }
    }

    @Test("Nothing else is taken for one")
    func refusesOthers() {
        for value in [0, 16, 100, 128, 235, 255] as [UInt8] {
            #expect(TestPattern.read(from: I420Buffer(width: 320, height: 240) { $0.y.fill(value) }) == nil)
        }
        #expect(TestPattern.read(from: I420Buffer(width: 8, height: 8)) == nil)
        let random = SeededRandom(seed: 7)
        for _ in 0..<200 {
            let noise = I420Buffer(width: 64, height: 48) { planes in
                for y in 0..<48 { for x in 0..<64 { planes.y.row(y)[x] = UInt8(truncatingIfNeeded: random.next()) } }
            }
            #expect(TestPattern.read(from: noise) == nil)
        }
    }

    @Test("Moves, and ends after as many pictures as it was told")
    func movesAndEnds() throws {
        var picture = TestPattern(width: 320, height: 240, count: 3)
        let first = try #require(try picture.drawn(at: .zero).buffer.i420(from: pool))
        let second = try #require(try picture.drawn(at: .zero).buffer.i420(from: pool))
        #expect(signalToNoise(first, second) < 30)
        #expect(picture.nextFrame(at: .zero) != nil)
        #expect(picture.nextFrame(at: .zero) == nil)
    }

    @Test("Drawing many pictures needs the memory of few")
    func drawsWithoutAllocating() throws {
        var picture = TestPattern(width: 64, height: 48)
        var seen: Set<ObjectIdentifier> = []
        for _ in 0..<100 { seen.insert(ObjectIdentifier(try picture.drawn(at: .zero).buffer)) }
        #expect(seen.count <= 2)
    }
}
