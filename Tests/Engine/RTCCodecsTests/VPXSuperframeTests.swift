import Testing

@testable import RTCCodecs

/// VP9 bitstream specification, annex B.
@Suite("The index of a VP9 superframe")
struct VPXSuperframeTests {
    private func index(_ bytes: [UInt8]) -> (sizes: [Int], indexSize: Int)? {
        bytes.withUnsafeBytes(VPXFrameSize.superframe)
    }

    @Test("The sizes are those of the frames, in bytes, the lowest byte first")
    func sizes() throws {
        let one = try #require(index([1, 2, 3, 0xC0, 3, 0xC0]))
        #expect(one.sizes == [3] && one.indexSize == 3)
        let two = try #require(index([UInt8](repeating: 0, count: 0x0102 + 3) + [0xC9, 0x02, 0x01, 3, 0, 0xC9]))
        #expect(two.sizes == [0x0102, 3] && two.indexSize == 6)
    }

    @Test("A last byte without the marker's first one is a frame's")
    func none() {
        #expect(index([]) == nil)
        #expect(index([1, 2, 3]) == nil)
        #expect(index([1, 2, 3, 0xC1, 3, 0xC0]) == nil)
        #expect(index([3, 0xC0]) == nil)
    }
}
