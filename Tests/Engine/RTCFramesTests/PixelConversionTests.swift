import RTCWire
import Testing

@testable import RTCFrames

@Suite("Scaling, cropping, turning and converting pictures")
struct PixelConversionTests {
    private let pool = I420BufferPool()

    /// Brightness that rises to the right and downwards, colours that do so each in one direction.
    private func slope(_ width: Int, _ height: Int) -> I420Buffer {
        I420Buffer(width: width, height: height) { planes in
            for y in 0..<height {
                for x in 0..<width { planes.y.row(y)[x] = UInt8(x * 100 / width + y * 100 / height + 20) }
            }
            for y in 0..<planes.u.height {
                for x in 0..<planes.u.width {
                    planes.u.row(y)[x] = UInt8(x * 200 / planes.u.width)
                    planes.v.row(y)[x] = UInt8(y * 200 / planes.v.height)
                }
            }
        }
    }

    @Test(
        "A slope stays one in any size",
        arguments: [(320, 240), (160, 120), (640, 480), (213, 77), (80, 60), (17, 333), (1, 1), (2, 1), (1_280, 3)])
    func scales(width: Int, height: Int) {
        let scaled = slope(320, 240).scaled(width: width, height: height, pool: pool)
        #expect(scaled.width == width && scaled.height == height)
        let ideal = slope(width, height)
        if width > 4, height > 4 { #expect(signalToNoise(scaled, ideal) > 32) }
    }

    @Test("One colour stays that colour", arguments: [(100, 100), (50, 50), (33, 67), (7, 5)])
    func keepsColour(width: Int, height: Int) {
        let source = I420Buffer(width: 101, height: 99) { planes in
            planes.y.fill(77)
            planes.u.fill(255)
            planes.v.fill(0)
        }
        source.scaled(width: width, height: height, pool: pool).withPlanes { planes in
            for y in 0..<height { for x in 0..<width { #expect(planes.y.row(y)[x] == 77) } }
            #expect(planes.u.row(planes.u.height - 1)[planes.u.width - 1] == 255)
            #expect(planes.v.row(0)[0] == 0)
        }
    }

    @Test("A crop shows its part, and one outside the picture is brought into it")
    func crops() {
        let source = slope(320, 240)
        let part = source.scaled(
            width: 100, height: 80, crop: PixelRectangle(x: 40, y: 60, width: 100, height: 80), pool: pool)
        source.withPlanes { source in
            part.withPlanes { part in
                #expect(part.y.row(0)[0] == source.y.row(60)[40])
                #expect(part.y.row(79)[99] == source.y.row(139)[139])
                #expect(part.u.row(5)[7] == source.u.row(35)[27])
            }
        }
        for wild in [(-50, -50, 10, 10), (10_000, 10_000, 5, 5), (0, 0, 0, 0), (300, 200, 900, 900), (319, 239, 9, 9)] {
            let crop = PixelRectangle(x: wild.0, y: wild.1, width: wild.2, height: wild.3)
            #expect(source.scaled(width: 16, height: 16, crop: crop, pool: pool).width == 16)
        }
        #expect(
            PixelRectangle.middle(of: 640, by: 480, shapedLike: (16, 9))
                == PixelRectangle(x: 0, y: 60, width: 640, height: 360))
        #expect(
            PixelRectangle.middle(of: 640, by: 480, shapedLike: (1, 1))
                == PixelRectangle(x: 80, y: 0, width: 480, height: 480))
    }

    @Test("Turning goes clockwise, and four quarter turns come back", arguments: [(6, 4), (7, 5)])
    func turns(width: Int, height: Int) {
        let source = slope(width, height)
        let turned = source.rotated(.clockwise90, pool: pool)
        #expect(turned.width == height && turned.height == width)
        source.withPlanes { source in
            // The upper left corner goes to the upper right.
            turned.withPlanes { #expect($0.y.row(0)[height - 1] == source.y.row(0)[0]) }
        }
        let back = turned.rotated(.clockwise270, pool: pool)
        #expect(signalToNoise(back, source) == 100)
        let twice = source.rotated(.clockwise180, pool: pool).rotated(.clockwise180, pool: pool)
        #expect(signalToNoise(twice, source) == 100)
        #expect(source.rotated(.none, pool: pool) === source)
    }

    @Test("To NV12 and back is the same picture", arguments: [(64, 48), (65, 49), (1, 1)])
    func nv12(width: Int, height: Int) throws {
        let source = slope(width, height)
        let buffer = source.withPlanes { planes in
            NV12Buffer(width: width, height: height) { $0.convert(from: planes) }
        }
        let back = try #require(buffer.i420(from: pool))
        #expect(signalToNoise(source, back) == 100)
        source.withPlanes { source in
            back.withPlanes { back in
                for y in 0..<source.u.height {
                    for x in 0..<source.u.width {
                        #expect(source.u.row(y)[x] == back.u.row(y)[x] && source.v.row(y)[x] == back.v.row(y)[x])
                    }
                }
            }
        }
    }

    @Test("BGRA becomes the colours that BT.601 says")
    func bgra() {
        let colours: [(bgr: [UInt8], yuv: (UInt8, UInt8, UInt8))] = [
            ([0, 0, 0], (16, 128, 128)), ([255, 255, 255], (235, 128, 128)), ([0, 0, 255], (82, 90, 240)),
            ([0, 255, 0], (144, 54, 34)), ([255, 0, 0], (41, 240, 110)),
        ]
        for colour in colours {
            let pixels = Array(repeating: colour.bgr + [255], count: 15).flatMap { $0 }
            let picture = I420Buffer(width: 5, height: 3) { target in
                pixels.withUnsafeBufferPointer {
                    guard let base = $0.baseAddress else { return }
                    PixelConversion.bgra(Plane(base: base, stride: 20, width: 20, height: 3), to: target)
                }
            }
            picture.withPlanes { planes in
                #expect(abs(Int(planes.y.row(2)[4]) - Int(colour.yuv.0)) <= 1)
                #expect(abs(Int(planes.u.row(1)[2]) - Int(colour.yuv.1)) <= 1)
                #expect(abs(Int(planes.v.row(1)[2]) - Int(colour.yuv.2)) <= 1)
            }
        }
    }

    @Test("Full range becomes that of television")
    func narrows() {
        let picture = I420Buffer(width: 4, height: 2) { planes in
            planes.y.fill(255)
            planes.u.fill(0)
            planes.v.fill(255)
            planes.y.row(1)[0] = 0
            PixelConversion.narrowRange(planes)
        }
        picture.withPlanes { planes in
            #expect(planes.y.row(0)[0] == 235 && planes.y.row(1)[0] == 16)
            #expect(planes.u.row(0)[0] == 16 && planes.v.row(0)[0] == 240)
        }
    }
}
