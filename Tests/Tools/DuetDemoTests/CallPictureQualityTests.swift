import RTCFrames
import Testing

@testable import duet_demo

@Suite("How near pictures are to those that were sent")
struct CallPictureQualityTests {
    @Test("PSNR and SSIM are those that FFmpeg computes for the same pictures")
    func known() throws {
        let sent = TestPlane(width: 64, height: 48) { x, y in UInt8((x * 7 + y * 13 + x * y) & 255) }
        var noise = Noise(seed: 3)
        let received = TestPlane(width: 64, height: 48) { x, y in
            UInt8(min(255, max(0, Int(sent[x, y]) + Int(noise.next() * 16))))
        }
        var quality = PictureQuality()
        sent.withPlane { sent in received.withPlane { quality.add(sent, $0) } }
        #expect(abs(try #require(quality.psnr) - 29.450960) < 1e-5)
        #expect(abs(try #require(quality.ssim) - 0.993136) < 1e-5)
        #expect(quality.count == 1)
    }

    @Test("Equal pictures are without any error, and wholly alike")
    func equal() {
        let plane = TestPlane(width: 20, height: 20) { x, y in UInt8(x * y & 255) }
        var quality = PictureQuality()
        plane.withPlane { quality.add($0, $0) }
        #expect(quality.psnr == .infinity && quality.ssim == 1)
    }

    @Test("Rows that do not count are left out")
    func skipping() throws {
        let sent = TestPlane(width: 16, height: 24) { _, _ in 100 }
        let received = TestPlane(width: 16, height: 24) { _, y in y < 8 ? 200 : 101 }
        var quality = PictureQuality()
        sent.withPlane { sent in received.withPlane { quality.add(sent, $0, skipping: 8) } }
        // An error of one everywhere: 20 log10 255.
        #expect(abs(try #require(quality.psnr) - 48.1308) < 1e-3)
    }

    @Test("Pictures of different sizes, and none at all, have no quality")
    func none() {
        let small = TestPlane(width: 16, height: 16) { _, _ in 0 }
        let large = TestPlane(width: 32, height: 16) { _, _ in 0 }
        var quality = PictureQuality()
        #expect(quality.psnr == nil && quality.ssim == nil)
        small.withPlane { small in large.withPlane { quality.add(small, $0) } }
        #expect(quality.count == 0 && quality.psnr == nil)
    }
}

@Suite("Numbers in pictures")
struct CallFrameMarkTests {
    private func picture(_ width: Int, _ height: Int, number: UInt32) -> I420Buffer {
        I420Buffer(width: width, height: height) { planes in
            planes.y.fill(120)
            FrameMark.draw(number, into: planes)
        }
    }

    @Test("A number is read as it was drawn, in any size", arguments: [(1280, 720), (640, 360), (96, 64), (333, 181)])
    func reading(width: Int, height: Int) {
        for number: UInt32 in [0, 1, 0x5A_5A5A, FrameMark.limit - 1] {
            #expect(picture(width, height, number: number).withPlanes { FrameMark.read($0) } == number)
        }
    }

    @Test("A picture that was made smaller still has its number")
    func scaling() {
        let pool = I420BufferPool()
        let small = picture(1280, 720, number: 4_711).scaled(width: 640, height: 360, pool: pool)
        #expect(small.withPlanes { FrameMark.read($0) } == 4_711)
    }

    @Test("A picture without a mark has no number")
    func nothing() {
        let plain = I420Buffer(width: 640, height: 360) { $0.y.fill(90) }
        #expect(plain.withPlanes { FrameMark.read($0) } == nil)
        let tiny = I420Buffer(width: 16, height: 16)
        #expect(tiny.withPlanes { FrameMark.read($0) } == nil)
    }
}

/// A plane in memory of its own.
struct TestPlane {
    let width: Int
    let height: Int
    private var samples: [UInt8] = []

    init(width: Int, height: Int, _ sample: (Int, Int) -> UInt8) {
        self.width = width
        self.height = height
        for y in 0..<height { for x in 0..<width { samples.append(sample(x, y)) } }
    }

    subscript(x: Int, y: Int) -> UInt8 { samples[y * width + x] }

    func withPlane<Result>(_ body: (Plane) -> Result) -> Result {
        samples.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("a plane has samples") }
            return body(Plane(base: base, stride: width, width: width, height: height))
        }
    }
}

/// Numbers that are the same everywhere, from −1 to 1: Knuth's linear congruence.
struct Noise {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> Double {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Double(state >> 33) / Double(1 << 30) - 1
    }
}
