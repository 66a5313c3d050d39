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

    @Test("Whether echo is cancelled is what the open microphone says of it")
    func echoCancellation() async throws {
        let (feed, _) = try feed()
        #expect(feed.echoCancellation == .off)
        feed.start(delivering: sound)
        await feed.settled()
        #expect(feed.echoCancellation == .holding)
        let microphone = try #require(capture.microphones.first)
        microphone.setEchoCancellation(.lost(since: .zero))
        #expect(feed.echoCancellation == .lost(since: .zero))
        microphone.setEchoCancellation(nil)
        #expect(feed.echoCancellation == nil)
        feed.stop()
        await feed.settled()
        #expect(feed.echoCancellation == .off)
    }

    @Test("The microphone of the camera in use is offered first, and takes over first")
    func ofCamera() async throws {
        let discovery = FakeDiscovery([
            .microphone("built-in", kind: .builtIn), .microphone("headset"), .microphone("in the webcam", group: "usb"),
            .camera("front", .front), .camera("webcam", group: "usb"),
        ])
        let devices = try DeviceList(backend: discovery)
        let cameras = CameraSelector(devices: devices, policy: CameraPolicy(), preference: nil)
        let system = DeviceSystem(
            authorization: FakeAuthorization(), discovery: { FakeDiscovery() }, capture: capture)
        let feed = MicrophoneFeed(devices: devices, besides: cameras, system: system)
        #expect(feed.choice.list.map(\.id) == ["built-in", "headset", "in the webcam"])
        cameras.choose("webcam")
        #expect(feed.choice.list.map(\.id) == ["in the webcam", "built-in", "headset"])
        #expect(feed.choice.current?.id == "built-in")
        capture.fail("built-in", with: DeviceError(.busy, "in use"))
        feed.start(delivering: sound)
        await feed.settled()
        #expect(capture.microphones.map(\.device.id) == ["in the webcam"])
        feed.stop()
        await feed.settled()
    }

    @Test("A server that is away for a moment leaves the chosen microphone in use")
    func serverLoss() async throws {
        let (builtIn, headset) = (SeenDevice.microphone("built-in", kind: .builtIn), SeenDevice.microphone("headset"))
        let discovery = FakeDiscovery([builtIn, headset])
        let (feed, devices) = try feed(discovery)
        feed.start(delivering: sound)
        feed.choose("built-in")
        await feed.settled()
        discovery.send(.lost(DeviceError(.unavailable, "away")))
        discovery.send(.snapshot([headset.again, builtIn.again]))
        discovery.flush()
        #expect(devices.microphones.count == 2)
        while feed.choice.current?.instance ?? 0 < 3 { await Task.yield() }
        await feed.settled()
        #expect(capture.microphones.map(\.device.id) == ["built-in"])
        feed.stop()
        await feed.settled()
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

    @Test("A microphone can be chosen as soon as it is in the list")
    func chosenAtOnce() async throws {
        let (feed, devices) = try feed()
        for _ in 0..<20 {
            let (first, second) = (SeenDevice.microphone("first"), SeenDevice.microphone("second"))
            discovery.plug(first)
            discovery.plug(second)
            discovery.flush()
            #expect(devices.microphones.count == 3)
            feed.choose("first")
            #expect(feed.choice.current?.id == "first")
            discovery.unplug(first)
            discovery.unplug(second)
            discovery.flush()
            feed.choose("built-in")
            #expect(feed.choice.current?.id == "built-in")
        }
    }
}
