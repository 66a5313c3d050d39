import RTCDevices
import Testing

@testable import RTCMediaFiles

@Suite("The file of a photo")
struct ExifSegmentTests {
    @Test("An Exif segment says how a photo is turned")
    func exif() {
        let photo = ExifSegment.insert(.right, into: [0xff, 0xd8, 0xff, 0xdb, 1, 2])
        #expect(photo?.count == 42)
        #expect(photo?[2...5] == [0xff, 0xe1, 0, 34] && photo?[31] == 6 && photo?.suffix(4) == [0xff, 0xdb, 1, 2])
        #expect(ExifSegment.insert(.right, into: [1, 2, 3]) == nil)
    }
}
