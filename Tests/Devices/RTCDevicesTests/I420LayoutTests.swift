import RTCFrames
import Testing

@testable import RTCDevices

@Suite("How planes lie in a camera's memory")
struct I420LayoutTests {
    private typealias Rows = I420Layout.Rows

    /// What stands at the beginning of each row of each plane, where each byte of memory is told by its own address.
    private func corners(_ layout: I420Layout, of size: Int) -> [[Int]]? {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { memory.deallocate() }
        guard let planes = layout.planes(in: UnsafeRawBufferPointer(memory)), let base = memory.baseAddress else {
            return nil
        }
        return [planes.y, planes.u, planes.v].map { plane in
            (0..<plane.height).map { UnsafeRawPointer(plane.row($0)) - UnsafeRawPointer(base) }
        }
    }

    @Test("By default rows are multiples of four bytes, and their number is even")
    func usual() {
        let layout = I420Layout(width: 6, height: 3)
        #expect(layout.size == 8 * 4 + 4 * 2 * 2)
        #expect(corners(layout, of: 48) == [[0, 8, 16], [32, 36], [40, 44]])
        #expect(corners(layout, of: 47) == nil)
        // A row of brightness that is left out stands between the planes.
        #expect(!layout.isPacked)
        #expect(I420Layout(width: 6, height: 4).isPacked)
    }

    @Test("Rows that are longer than the picture is wide are read where they are")
    func padded() throws {
        let layout = try #require(
            I420Layout(
                width: 6, height: 4, y: Rows(offset: 0, stride: 64), u: Rows(offset: 256, stride: 32),
                v: Rows(offset: 320, stride: 32)))
        #expect(corners(layout, of: 384) == [[0, 64, 128, 192], [256, 288], [320, 352]])
        #expect(corners(layout, of: 383) == nil)
        #expect(layout.isPacked)
        let apart = try #require(
            I420Layout(
                width: 6, height: 4, y: Rows(offset: 64, stride: 64), u: Rows(offset: 512, stride: 64),
                v: Rows(offset: 1_024, stride: 32)))
        #expect(corners(apart, of: 2_000) == [[64, 128, 192, 256], [512, 576], [1_024, 1_056]])
        #expect(!apart.isPacked)
    }

    @Test("Where only the first plane's rows are known, the others follow from them")
    func oneStride() {
        let usual = I420Layout(width: 6, height: 4)
        let layout = I420Layout(width: 6, height: 4, y: Rows(offset: 0, stride: 64), u: usual.u, v: usual.v)
        #expect(layout?.u == Rows(offset: 256, stride: 32))
        #expect(layout?.v == Rows(offset: 320, stride: 32))
    }

    @Test("What cannot be is refused", arguments: [0, 5, -8, .max])
    func impossible(_ stride: Int) {
        let usual = I420Layout(width: 6, height: 4)
        #expect(
            I420Layout(width: 6, height: 4, y: Rows(offset: 0, stride: stride), u: usual.u, v: usual.v) == nil)
        #expect(
            I420Layout(
                width: 6, height: 4, y: Rows(offset: stride < 0 ? stride : .max, stride: 8), u: usual.u, v: usual.v)
                == nil)
    }
}
