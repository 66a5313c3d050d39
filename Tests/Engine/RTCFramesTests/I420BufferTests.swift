import RTCFrames
import RTCWire
import Testing

@Suite("I420 buffers")
struct I420BufferTests {
    @Test("A new picture is black, and odd sizes round the colours up")
    func blackAndOdd() {
        let buffer = I420Buffer(width: 7, height: 5)
        buffer.withPlanes { planes in
            #expect(planes.u.width == 4 && planes.u.height == 3)
            #expect(planes.y.row(4)[6] == 16)
            #expect(planes.v.row(2)[3] == 128)
        }
    }

    @Test("A pool uses a picture's memory again when nobody holds it any more")
    func poolReuses() {
        let pool = I420BufferPool()
        for number in 0..<100 {
            let buffer = pool.makeBuffer(width: 64, height: 32) { $0.y.fill(UInt8(number)) }
            #expect(buffer.withPlanes { $0.y.row(31)[63] } == UInt8(number))
        }
        #expect(pool.allocations == 1)
    }

    @Test("A picture that somebody holds keeps its pixels, however many follow")
    func heldPicturesStay() {
        let pool = I420BufferPool(capacity: 3)
        let held = (0..<10).map { number in pool.makeBuffer(width: 16, height: 16) { $0.y.fill(UInt8(number)) } }
        for (number, buffer) in held.enumerated() {
            #expect(buffer.withPlanes { $0.y.row(0)[0] } == UInt8(number))
        }
        #expect(pool.allocations == 10)
    }

    @Test("A pool follows a change of size")
    func poolFollowsSize() {
        let pool = I420BufferPool()
        for width in [16, 32, 16, 48] {
            #expect(pool.makeBuffer(width: width, height: 8, fill: { _ in }).width == width)
        }
    }
}
