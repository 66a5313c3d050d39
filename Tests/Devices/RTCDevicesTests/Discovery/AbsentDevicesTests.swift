import RTCWire
import Testing

@testable import RTCDevices

@Suite("What went with a service, and what a person pulled out")
struct AbsentDevicesTests {
    private var absent = AbsentDevices()
    private var now = Instant.zero

    private static let front = MediaDevice(id: "front", media: .camera, name: "F", position: .front, group: "pci-1")
    private static let speaker = MediaDevice(id: "speaker", media: .speaker, name: "S", group: "pci-2")
    private static let webcam = MediaDevice(id: "webcam", media: .camera, name: "W", kind: .external, group: "usb-1")
    private static let itsMicrophone = MediaDevice(
        id: "webcam", media: .microphone, name: "M", kind: .external, group: "usb-1")

    /// They go one after the other, and what has not gone stays.
    private mutating func lose(
        _ devices: [MediaDevice], by service: SeenDevice.Service = .pipeWire, each delay: TimeDelta = .milliseconds(1),
        left: Set<SeenDevice.Service> = []
    ) {
        for (place, device) in devices.enumerated() {
            now = now + delay
            absent.noteLoss(of: device, place: place, by: service, at: now)
            let rest = place + 1 < devices.count ? left.union([service]) : left
            absent.evaluateLosses(left: rest, at: now)
        }
    }

    private mutating func places(_ devices: [MediaDevice], after delay: TimeDelta = .seconds(2)) -> [Int?] {
        now = now + delay
        return devices.map { absent.takeReturned($0, at: now) }
    }

    @Test("All hardware at once has gone with its service: it is back once, at its place, in any order")
    mutating func restart() {
        let all = [Self.front, Self.speaker, Self.webcam, Self.itsMicrophone]
        lose(all)
        #expect(places(all.reversed()) == [3, 2, 1, 0])
        #expect(places(all) == [nil, nil, nil, nil])
    }

    @Test("A thing that goes alone was pulled out, with all that is in its housing, even if nothing is left")
    mutating func alone() {
        lose([Self.webcam])
        #expect(places([Self.webcam]) == [nil])
        lose([Self.webcam, Self.itsMicrophone])
        #expect(places([Self.webcam, Self.itsMicrophone]) == [nil, nil])
    }

    @Test("While hardware is left, as when a hub is pulled out, the service is there")
    mutating func hub() {
        var other = Self.webcam
        other.group = "usb-2"
        lose([Self.webcam, other], left: [.pipeWire])
        #expect(places([Self.webcam]) == [nil])
        lose([Self.webcam, other], by: .libcamera, left: [.pipeWire])
        #expect(places([Self.webcam]) == [nil])
        // That of another server proves nothing.
        lose([Self.front, Self.webcam], left: [.pulseAudio, .v4l2])
        #expect(places([Self.front, Self.webcam]) == [0, 1])
    }

    @Test("What goes one after the other went by hand")
    mutating func slowly() {
        lose([Self.front, Self.webcam], each: AbsentDevices.burst + .milliseconds(1))
        #expect(places([Self.front, Self.webcam]) == [nil, nil])
        lose([Self.front, Self.webcam], each: AbsentDevices.burst)
        #expect(places([Self.front, Self.webcam]) == [0, 1])
    }

    @Test("What is back too late was plugged in")
    mutating func late() {
        lose([Self.front, Self.webcam])
        #expect(places([Self.front], after: AbsentDevices.absence - .milliseconds(1)) == [0])
        #expect(places([Self.webcam], after: .milliseconds(1)) == [nil])
    }

    @Test("What programs make, and nodes of the kernel's, have no service that takes them along")
    mutating func others() {
        let films = ["1", "2"].map { MediaDevice(id: DeviceID($0), media: .camera, name: $0, kind: .virtual) }
        lose(films)
        #expect(places(films) == [nil, nil])
        lose([Self.front, Self.webcam], by: .v4l2)
        #expect(places([Self.front, Self.webcam]) == [nil, nil])
    }

    @Test("A service that loses devices without end fills no memory")
    mutating func flood() {
        lose((0..<5_000).map { MediaDevice(id: DeviceID("\($0)"), media: .camera, name: "") }, each: .microseconds(1))
        #expect(places([MediaDevice(id: "4999", media: .camera, name: "")]) == [nil])
        #expect(places([MediaDevice(id: "0", media: .camera, name: "")]) == [0])
    }
}
