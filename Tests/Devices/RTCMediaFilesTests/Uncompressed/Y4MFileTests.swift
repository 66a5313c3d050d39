import RTCFrames
import RTCMediaFiles
import RTCWire
import Synchronization
import Testing

@Suite("Y4M files")
struct Y4MFileTests {
    private let pool = I420BufferPool()

    private func file(_ width: Int, _ height: Int, frames: Int) throws -> MemoryFile {
        let file = MemoryFile()
        var writer = Y4MWriter(file, framesPerSecond: 25)
        var picture = TestPattern(width: width, height: height)
        for _ in 0..<frames { try writer.write(try picture.drawn(at: .zero)) }
        return file
    }

    private func pixels(_ picture: I420Buffer) -> [UInt8] {
        picture.withPlanes { planes in
            [planes.y, planes.u, planes.v].flatMap { plane in
                (0..<plane.height).flatMap { UnsafeBufferPointer(start: plane.row($0), count: plane.width) }
            }
        }
    }

    @Test("What was written is read again", arguments: [(64, 48), (65, 49), (320, 241)], [1, 777, Int.max])
    func roundTrip(size: (Int, Int), longestRead: Int) throws {
        let written = try file(size.0, size.1, frames: 4)
        var reader = try Y4MReader(MemoryFile(written.bytes, longestRead: longestRead))
        #expect(reader.width == size.0 && reader.height == size.1 && reader.framesPerSecond == 25)
        var picture = TestPattern(width: size.0, height: size.1)
        for _ in 0..<4 {
            let read = try #require(try reader.nextFrame(at: .zero + .seconds(1))?.buffer.i420(from: pool))
            let original = try #require(try picture.drawn(at: .zero).buffer.i420(from: pool))
            #expect(pixels(read) == pixels(original))
        }
        #expect(try reader.nextFrame(at: .zero) == nil)
    }

    @Test("Plays again from the beginning when told to")
    func loops() throws {
        var reader = try Y4MReader(try file(64, 48, frames: 3), loops: true)
        for number in 0..<10 {
            let frame = try #require(try reader.nextFrame(at: .zero))
            #expect(TestPattern.read(from: frame.buffer)?.number == UInt32(number % 3))
        }
        var empty = try Y4MReader(MemoryFile(Array("YUV4MPEG2 W2 H2\n".utf8)), loops: true)
        #expect(try empty.nextFrame(at: .zero) == nil)
    }

    @Test("A picture of another size or turned another way is made to fit the first")
    func fits() throws {
        let file = MemoryFile()
        var writer = Y4MWriter(file)
        var small = TestPattern(width: 160, height: 120), large = TestPattern(width: 320, height: 240)
        try writer.write(try small.drawn(at: .zero))
        try writer.write(try large.drawn(at: .zero))
        try writer.write(
            VideoFrame(buffer: I420Buffer(width: 120, height: 160), rotation: .clockwise90, timestamp: .zero))
        var reader = try Y4MReader(file)
        for number in [0, 0, nil] as [UInt32?] {
            let frame = try #require(try reader.nextFrame(at: .zero))
            #expect(frame.width == 160 && frame.height == 120)
            #expect(TestPattern.read(from: frame.buffer)?.number == number)
        }
        #expect(try reader.nextFrame(at: .zero) == nil)
    }

    @Test(
        "What is no such file is told in one sentence",
        arguments: [
            ("", "does not begin with"), ("RIFF....WAVE\n", "does not begin with"),
            ("YUV4MPEG2 W64\n", "no width and height"), ("YUV4MPEG2 W64 H0\n", "no width and height"),
            ("YUV4MPEG2 W-1 H4\n", "no width and height"),
            ("YUV4MPEG2 W99999999999999999999 H4\n", "no width and height"),
            ("YUV4MPEG2 W64 H64 C444\n", "only 4:2:0"), ("YUV4MPEG2 W64 H64 C420p10\n", "only 4:2:0"),
            ("YUV4MPEG2 W64 H64 It\n", "interlaced"), ("YUV4MPEG2 W64 H64", "within a line"),
            ("YUV4MPEG2 " + String(repeating: "X", count: 5_000), "has no end"),
        ])
    func refuses(text: String, reason: String) {
        #expect {
            _ = try Y4MReader(MemoryFile(Array(text.utf8)))
        } throws: { error in
            (error as? MediaFileError)?.message.contains(reason) == true
        }
    }

    @Test("A file that ends early, or goes on with something else, says where")
    func truncated() throws {
        let whole = try file(64, 48, frames: 2).bytes
        for cut in [1, 100, 4_000] {
            var reader = try Y4MReader(MemoryFile(Array(whole.dropLast(cut))))
            #expect(try reader.nextFrame(at: .zero) != nil)
            #expect(throws: MediaFileError(.malformed, "the Y4M file ends within picture 2")) {
                _ = try reader.nextFrame(at: .zero)
            }
        }
        var reader = try Y4MReader(MemoryFile(Array("YUV4MPEG2 W2 H2\nFROME\n......".utf8)))
        #expect(throws: MediaFileError.self) { _ = try reader.nextFrame(at: .zero) }
        // A great picture that is not there is not waited for.
        var huge = try Y4MReader(MemoryFile(Array("YUV4MPEG2 W4096 H4096\nFRAME\n..".utf8)))
        #expect(throws: MediaFileError.self) { _ = try huge.nextFrame(at: .zero) }
    }

    @Test("A source that plays such a file tells once why it stops")
    func played() async throws {
        let file = MemoryFile(Array("YUV4MPEG2 W64 H48\nFRAME\n...".utf8))
        let reasons = Mutex<[String?]>([])
        let source = PacedVideoSource(try Y4MReader(file), framesPerSecond: 30) { error in
            reasons.withLock { $0.append((error as? MediaFileError)?.message) }
        }
        source.start(delivering: Nobody())
        for _ in 0..<2_000 where reasons.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
        #expect(reasons.withLock { $0 } == ["the Y4M file ends within picture 1"])
    }

    private final class Nobody: VideoSink {
        func deliver(_ frame: VideoFrame) {}
    }

    @Test("Damaged headers never crash")
    func damaged() throws {
        let whole = try file(64, 48, frames: 1).bytes
        let random = SeededRandom(seed: 21)
        for _ in 0..<500 {
            var bytes = whole
            for _ in 0..<3 { bytes[Int(random.next(below: 60))] = UInt8(truncatingIfNeeded: random.next()) }
            guard var reader = try? Y4MReader(MemoryFile(bytes)) else { continue }
            _ = try? reader.nextFrame(at: .zero)
        }
    }
}
