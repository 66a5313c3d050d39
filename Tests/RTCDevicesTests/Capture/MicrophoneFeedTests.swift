import RTCFrames
import RTCWire
import Testing

@testable import RTCDevices

@Suite("The microphone of a call", .timeLimit(.minutes(2)))
struct MicrophoneFeedTests {
    private let discovery = FakeDiscovery([.microphone("built-in", kind: .builtIn)])
    private let capture = FakeCapture()
    private let sound = SoundBox()

    private func feed(_ discovery: FakeDiscovery? = nil) throws -> (MicrophoneFeed, DeviceList) {
        let devices = try DeviceList(backend: discovery ?? self.discovery)
        let system = DeviceSystem(
            authorization: FakeAuthorization(), discovery: { FakeDiscovery() }, capture: capture)
        return (MicrophoneFeed(devices: devices, system: system), devices)
    }

    @Test("The microphone that is connected last takes over, and the one before it when that goes")
    func lastConnected() async throws {
        let (feed, devices) = try feed()
        var events = feed.events().makeAsyncIterator()
        feed.start(delivering: sound)
        await feed.settled()
        capture.microphones.first?.hear()
        #expect(await events.next() == .using(devices.microphones[0]))
        let headset = SeenDevice.microphone("headset")
        discovery.plug(headset)
        while capture.microphones.first?.device.id != "headset" { await Task.yield() }
        await feed.settled()
        capture.microphones.first?.hear()
        #expect(feed.device?.id == "headset")
        discovery.unplug(headset)
        while capture.microphones.first?.device.id != "built-in" { await Task.yield() }
        await feed.settled()
        capture.microphones.first?.hear()
        #expect(sound.all.count == 3)
    }

    @Test("A person's choice is used at once, without a piece of the old microphone's sound after it")
    func chosen() async throws {
        let (feed, _) = try feed(FakeDiscovery([.microphone("built-in", kind: .builtIn), .microphone("headset")]))
        feed.start(delivering: sound)
        await feed.settled()
        let old = capture.microphones.first
        #expect(old?.device.id == "built-in")
        feed.choose("headset")
        #expect(feed.choice.current?.id == "headset")
        await feed.settled()
        old?.hear()
        #expect(sound.all.count == 0)
        feed.stop()
        await feed.settled()
        #expect(capture.microphones.isEmpty)
    }
}
