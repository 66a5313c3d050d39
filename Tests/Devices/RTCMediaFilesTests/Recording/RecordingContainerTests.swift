import RTCDevices
import Testing

@testable import RTCMediaFiles

@Suite("The kind of a recording's file")
struct RecordingContainerTests {
    @Test("It is as the name ends")
    func endings() throws {
        #expect(try RecordingContainer(path: "/tmp/call.mov", hasVideo: true) == .mov)
        #expect(try RecordingContainer(path: "my.call.MP4", hasVideo: true) == .mp4)
        #expect(try RecordingContainer(path: "a/b.m4v", hasVideo: false) == .m4v)
        #expect(try RecordingContainer(path: ".m4a", hasVideo: false) == .m4a)
    }

    @Test(
        "Any other name is refused, with those that are possible",
        arguments: ["call.webm", "call", "a.mov/call", "", "/", "a."])
    func refuses(path: String) throws {
        let error = #expect(throws: DeviceError.self) { try RecordingContainer(path: path, hasVideo: true) }
        #expect(error?.code == .unwritable)
        #expect(error?.message.contains(".mov, .mp4, .m4v here") == true)
    }

    @Test("A file for sound alone takes no pictures")
    func soundAlone() {
        let error = #expect(throws: DeviceError.self) { try RecordingContainer(path: "call.m4a", hasVideo: true) }
        #expect(error?.code == .unwritable && error?.message.contains("ends in .mov, .mp4, .m4v here") == true)
    }
}
