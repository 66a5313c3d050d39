import RTCWire
import Testing

@testable import RTCDevices

@Suite("One list of what several services see")
struct DeviceRegistryTests {
    private var registry = DeviceRegistry()
    private var now = Instant.zero

    private static func camera(
        _ service: SeenDevice.Service = .pipeWire, _ handle: String = "40", _ stableID: String = "usb-1",
        hardware: String? = nil
    ) -> SeenDevice {
        SeenDevice(
            service: service, handle: handle, stableID: stableID, hardware: hardware, media: .camera, name: "Webcam")
    }

    private static func microphone(_ service: SeenDevice.Service, _ handle: String) -> SeenDevice {
        SeenDevice(
            service: service, handle: handle, stableID: "alsa_input.usb-1", media: .microphone, name: "Webcam Mono")
    }

    private mutating func apply(_ report: DiscoveryReport, after delay: TimeDelta = .zero) -> [DeviceList.Change] {
        now = now + delay
        return registry.apply(report, at: now)
    }

    @Test("What is plugged in comes, what is unplugged goes, what is repeated is nothing")
    mutating func comesAndGoes() throws {
        let changes = apply(.seen(Self.camera()))
        let camera = try #require(changes.first?.device)
        #expect(changes == [.added(camera)])
        #expect(camera.id == "usb-1")
        #expect(camera.handle == "40")
        #expect(apply(.seen(Self.camera())) == [])
        #expect(apply(.gone(service: .pipeWire, handle: "41")) == [])
        #expect(apply(.gone(service: .pipeWire, handle: "40")) == [.removed(camera)])
        #expect(registry.devices.isEmpty)
    }

    @Test("A camera that comes back is a new instance with the same identifier")
    mutating func comesBack() throws {
        var instances: Set<Int> = []
        for handle in 40..<140 {
            let camera = try #require(apply(.seen(Self.camera(.pipeWire, "\(handle)"))).first?.device)
            #expect(camera.id == "usb-1")
            instances.insert(camera.instance)
            _ = apply(.gone(service: .pipeWire, handle: "\(handle)"))
        }
        #expect(instances.count == 100)
    }

    @Test("Another name or state is a change of the same instance")
    mutating func renamed() throws {
        let camera = try #require(apply(.seen(Self.camera())).first?.device)
        var renamed = Self.camera()
        renamed.name = "Another"
        let changes = apply(.seen(renamed))
        #expect(changes.count == 1)
        guard case .changed(let device)? = changes.first else {
            Issue.record("not a change: \(changes)")
            return
        }
        #expect(device.name == "Another")
        #expect(device.isSameInstance(as: camera))
    }

    @Test("A microphone that PipeWire and PulseAudio see is one, whoever sees it first")
    mutating func duplicateMicrophone() throws {
        for order in [[SeenDevice.Service.pipeWire, .pulseAudio], [.pulseAudio, .pipeWire]] {
            registry = DeviceRegistry()
            let first = apply(.seen(Self.microphone(order[0], "1")))
            #expect(first.count == 1)
            _ = apply(.seen(Self.microphone(order[1], "1")))
            #expect(registry.devices.count == 1)
            #expect(registry.devices[0].isSameInstance(as: try #require(first.first?.device)))
            // It is opened by the better of the two.
            let handles = ["1"]
            #expect(handles.contains(registry.devices[0].handle))
        }
    }

    @Test("The better service opens it, and what that does not know the other one says")
    mutating func merges() {
        var node = Self.camera(.libcamera, "libcamera-0", "/base/i2c/sensor", hardware: "/dev/video0")
        node.position = .front
        node.mounting = .clockwise90
        _ = apply(.seen(Self.camera(.v4l2, "/dev/video0", "platform-sensor", hardware: "/dev/video0")))
        let identifier = registry.devices.first?.id
        _ = apply(.seen(node))
        #expect(registry.devices.count == 1)
        #expect(registry.devices.first?.id == identifier)
        #expect(registry.devices.first?.handle == "libcamera-0")
        #expect(registry.devices.first?.position == .front)
        _ = apply(.seen(Self.camera(.pipeWire, "77", "v4l2_input.sensor", hardware: "/dev/video0")))
        #expect(registry.devices.count == 1)
        #expect(registry.devices.first?.handle == "77")
        #expect(registry.devices.first?.position == .front)
        #expect(registry.devices.first?.mounting == .clockwise90)
    }

    @Test("Whichever service sees a thing first next time, it is called the same")
    mutating func sameNameEachTime() {
        let v4l2 = Self.camera(.v4l2, "/dev/video0", "platform-a", hardware: "/dev/video0")
        let node = Self.camera(.pipeWire, "40", "v4l2_input.a", hardware: "/dev/video0")
        _ = apply(.snapshot([v4l2, node]))
        let identifier = registry.devices.first?.id
        _ = apply(.snapshot([]), after: .seconds(1))
        _ = apply(.seen(node), after: .seconds(1))
        #expect(registry.devices.first?.id == identifier)
        _ = apply(.snapshot([]), after: .seconds(1))
        _ = apply(.seen(v4l2), after: .seconds(1))
        #expect(registry.devices.first?.id == identifier)
    }

    @Test("What names other hardware is another thing, whatever it is called")
    mutating func twoOfOneMake() {
        _ = apply(.seen(Self.camera(.v4l2, "/dev/video0", "webcam", hardware: "/dev/video0")))
        _ = apply(.seen(Self.camera(.v4l2, "/dev/video2", "webcam", hardware: "/dev/video2")))
        _ = apply(.seen(Self.camera(.pipeWire, "41", "webcam", hardware: "/dev/video2")))
        _ = apply(.seen(Self.camera(.pipeWire, "40", "webcam", hardware: "/dev/video0")))
        #expect(registry.devices.map(\.handle) == ["40", "41"])
        #expect(registry.devices.map(\.id) == ["webcam", "webcam#2"])
    }

    @Test("A camera and a microphone of one name are two things of one group")
    mutating func groups() {
        var camera = Self.camera()
        camera.group = "usb-1"
        var microphone = Self.microphone(.pipeWire, "41")
        microphone.stableID = "usb-1"
        microphone.group = "usb-1"
        _ = apply(.snapshot([camera, microphone]))
        #expect(registry.devices.map(\.media) == [.camera, .microphone])
        #expect(Set(registry.devices.map(\.group)) == ["usb-1"])
    }

    @Test("Infrared cameras, and what a loudspeaker plays, are left out, also if that is found out later")
    mutating func leftOut() {
        var infrared = Self.camera()
        infrared.isInfrared = true
        var monitor = Self.microphone(.pulseAudio, "1")
        monitor.isMonitor = true
        #expect(apply(.snapshot([infrared, monitor])) == [])
        #expect(apply(.seen(Self.camera())).count == 1)
        #expect(apply(.seen(infrared)).count == 1)
        #expect(registry.devices.isEmpty)
    }

    @Test("It is gone when the service that opens it says so, not when the last one has noticed")
    mutating func goneAtOnce() throws {
        _ = apply(.seen(Self.microphone(.pipeWire, "1")))
        _ = apply(.seen(Self.microphone(.pulseAudio, "1")))
        let device = registry.devices[0]
        #expect(apply(.gone(service: .pipeWire, handle: "1")) == [.removed(device)])
        #expect(apply(.gone(service: .pulseAudio, handle: "1"), after: .milliseconds(100)) == [])
        #expect(registry.nextDeadline == nil)
    }

    @Test("What another service reports for the first time of a device that has just gone is late, and shows nothing")
    mutating func lateReport() throws {
        let device = try #require(apply(.seen(Self.microphone(.pulseAudio, "1"))).first?.device)
        #expect(apply(.gone(service: .pulseAudio, handle: "1")) == [.removed(device)])
        #expect(apply(.seen(Self.microphone(.pipeWire, "1")), after: .milliseconds(20)) == [])
        #expect(apply(.gone(service: .pipeWire, handle: "1"), after: .milliseconds(20)) == [])
        #expect(registry.devices.isEmpty)
        #expect(registry.nextDeadline == nil)
        // Long after, nothing is late.
        #expect(apply(.seen(Self.microphone(.pipeWire, "2")), after: DeviceRegistry.grace).count == 1)
    }

    @Test("If it is still there after a moment, it is a new instance; and at once, if the first service reports it too")
    mutating func lateButThere() throws {
        for isSeenAgain in [false, true] {
            registry = DeviceRegistry()
            let old = try #require(apply(.seen(Self.microphone(.pulseAudio, "1"))).first?.device)
            _ = apply(.gone(service: .pulseAudio, handle: "1"))
            let removal = now
            #expect(apply(.seen(Self.microphone(.pipeWire, "2")), after: .milliseconds(20)) == [])
            #expect(registry.nextDeadline == removal + DeviceRegistry.grace)
            if isSeenAgain {
                #expect(apply(.seen(Self.microphone(.pulseAudio, "1"))).count == 1)
                #expect(registry.devices.first?.isSameInstance(as: old) == false)
            }
            now = removal + DeviceRegistry.grace
            #expect(registry.advance(to: now).count == 1)
            #expect(registry.devices.map(\.handle) == ["2"])
            #expect(registry.nextDeadline == nil)
        }
    }

    @Test("Plugged in again before the other service has noticed that it was gone: a new instance, once")
    mutating func quickReplug() throws {
        _ = apply(.seen(Self.microphone(.pipeWire, "1")))
        _ = apply(.seen(Self.microphone(.pulseAudio, "1")))
        let old = registry.devices[0]
        _ = apply(.gone(service: .pipeWire, handle: "1"))
        #expect(apply(.seen(Self.microphone(.pipeWire, "2")), after: .milliseconds(50)).count == 1)
        let new = try #require(registry.devices.first)
        #expect(new.id == old.id)
        #expect(!new.isSameInstance(as: old))
        _ = apply(.gone(service: .pulseAudio, handle: "1"), after: .milliseconds(50))
        #expect(apply(.seen(Self.microphone(.pulseAudio, "2")), after: .milliseconds(50)) == [])
        #expect(registry.devices.count == 1)
        #expect(registry.devices[0].isSameInstance(as: new))
    }

    @Test("If PipeWire dies and V4L2 still sees the camera, it comes back by that, as a new instance")
    mutating func otherService() throws {
        _ = apply(.seen(Self.camera(.pipeWire, "40", "a", hardware: "/dev/video0")))
        _ = apply(.seen(Self.camera(.v4l2, "/dev/video0", "b", hardware: "/dev/video0")))
        let old = registry.devices[0]
        #expect(apply(.gone(service: .pipeWire, handle: "40")) == [.removed(old)])
        let deadline = try #require(registry.nextDeadline)
        #expect(deadline == now + DeviceRegistry.grace)
        #expect(registry.advance(to: deadline - .milliseconds(1)) == [])
        let changes = registry.advance(to: deadline)
        let new = try #require(changes.first?.device)
        #expect(changes == [.added(new)])
        #expect(new.id == old.id)
        #expect(new.handle == "/dev/video0")
        #expect(registry.nextDeadline == nil)
        // Nobody has pulled out what is still there; and what is pulled out and plugged in after that is.
        #expect(new.isReturned)
        #expect(apply(.seen(Self.camera(.pipeWire, "50", "a", hardware: "/dev/video0")), after: .seconds(1)).count == 1)
        #expect(registry.devices.map(\.instance) == [new.instance])
        _ = apply(.gone(service: .pipeWire, handle: "50"))
        _ = apply(.gone(service: .v4l2, handle: "/dev/video0"))
        let plugged = apply(.seen(Self.camera(.pipeWire, "51", "a", hardware: "/dev/video0")), after: .seconds(2))
        #expect(plugged.map(\.device.isReturned) == [false])
    }

    @Test("When the server dies all is gone; the snapshot when it is back has new instances")
    mutating func serverDies() {
        _ = apply(.snapshot([Self.camera(), Self.microphone(.pipeWire, "41")]))
        let old = registry.devices
        let changes = apply(.lost(DeviceError(.failed, "PipeWire is gone")))
        #expect(Set(changes) == Set(old.map { .removed($0) }))
        #expect(apply(.snapshot([Self.camera(), Self.microphone(.pipeWire, "41")])).count == 2)
        for device in registry.devices {
            #expect(old.contains { $0.id == device.id })
            #expect(!old.contains { $0.isSameInstance(as: device) })
        }
    }

    @Test("A snapshot tells what is gone and what is new, and leaves the rest as it was")
    mutating func snapshot() {
        _ = apply(.snapshot([Self.camera(.pipeWire, "1", "a"), Self.camera(.pipeWire, "2", "b")]))
        let kept = registry.devices[1]
        let changes = apply(.snapshot([Self.camera(.pipeWire, "2", "b"), Self.camera(.pipeWire, "3", "c")]))
        #expect(changes.map(\.device.id) == ["a", "c"])
        #expect(registry.devices.first == kept)
    }

    @Test("Built-in devices come first, then as they were plugged in")
    mutating func order() {
        var builtIn = Self.camera(.pipeWire, "9", "built-in")
        builtIn.kind = .builtIn
        _ = apply(.seen(Self.camera(.pipeWire, "1", "b")))
        _ = apply(.seen(Self.camera(.pipeWire, "2", "a")))
        _ = apply(.seen(builtIn))
        #expect(registry.devices.map(\.id) == ["built-in", "b", "a"])
    }

    @Test("Names may hold anything: they become one line of at most 200 characters")
    mutating func names() {
        var camera = Self.camera(.pipeWire, "1", "a\nb\u{1b}[2J")
        camera.name = String(repeating: "\u{202e}x\r\n", count: 10_000)
        _ = apply(.seen(camera))
        let device = registry.devices[0]
        #expect(device.name.unicodeScalars.count <= 200)
        #expect(!device.name.unicodeScalars.contains { $0.value < 32 || $0.value == 0x202e })
        #expect(device.id == "a b [2J")
    }

    @Test("A server that reports devices without end fills no memory")
    mutating func flood() {
        for index in 0..<2_000 { _ = apply(.seen(Self.camera(.pipeWire, "\(index)", "\(index)"))) }
        #expect(registry.devices.count == DeviceRegistry.limit)
    }

    @Test(
        "What a service shows again after it was away has returned, once and within a minute; what is plugged in has not"
    )
    mutating func returned() throws {
        _ = apply(.snapshot([Self.camera(), Self.camera(.pipeWire, "41", "usb-2")]))
        _ = apply(.gone(service: .pipeWire, handle: "41"))
        _ = apply(.snapshot([]), after: .seconds(1))
        #expect(apply(.seen(Self.camera(.pipeWire, "50")), after: .seconds(5)).map(\.device.isReturned) == [true])
        #expect(apply(.seen(Self.camera(.pipeWire, "51", "usb-2"))).map(\.device.isReturned) == [false])
        _ = apply(.gone(service: .pipeWire, handle: "50"))
        #expect(apply(.seen(Self.camera(.pipeWire, "52"))).map(\.device.isReturned) == [false])
        _ = apply(.lost(DeviceError(.unavailable, "away")))
        #expect(apply(.seen(Self.camera(.pipeWire, "60")), after: .seconds(61)).map(\.device.isReturned) == [false])
    }

    @Test(
        "When PipeWire's session manager alone begins anew, its devices have returned, and the list is in the order of before"
    )
    mutating func sessionManager() {
        var front = Self.camera(.libcamera, "front/1", "front")
        front.kind = .builtIn
        let cameras = [front, Self.camera(.pipeWire, "b/1", "b"), Self.camera(.pipeWire, "a/1", "a")]
        var film = Self.camera(.pipeWire, "film/1", "film")
        film.kind = .virtual
        _ = apply(.snapshot([film] + cameras))
        let before = registry.devices
        func again(_ device: SeenDevice, _ number: Int) -> SeenDevice {
            var device = device
            device.handle = "\(device.stableID)/\(number)"
            return device
        }
        for camera in cameras {
            _ = apply(.gone(service: camera.service, handle: camera.handle), after: .milliseconds(1))
        }
        #expect(registry.devices.map(\.id) == ["film"])
        var isReturned: [Bool] = []
        for camera in cameras.reversed() {
            isReturned += apply(.seen(again(camera, 2)), after: .seconds(1)).map(\.device.isReturned)
        }
        #expect(isReturned == [true, true, true])
        #expect(registry.devices.map(\.id) == before.map(\.id))
        #expect(
            !registry.devices.contains { one in one.id != "film" && before.contains { $0.isSameInstance(as: one) } })
        // One alone is pulled out, and comes last when it is plugged in.
        _ = apply(.gone(service: .pipeWire, handle: "b/2"), after: .seconds(1))
        #expect(apply(.seen(again(cameras[1], 3)), after: .seconds(1)).map(\.device.isReturned) == [false])
        #expect(registry.devices.map(\.id) == ["front", "film", "a", "b"])
    }

    @Test("What another service goes on to see when the first one dies has returned, too")
    mutating func returnedByAnother() throws {
        let (first, second) = (
            Self.camera(hardware: "/dev/video0"), Self.camera(.v4l2, "v", "another name", hardware: "/dev/video0")
        )
        _ = apply(.snapshot([first, second]))
        _ = apply(.snapshot([second]))
        now = now + .seconds(1)
        let added = registry.advance(to: now)
        #expect(added.map(\.device.isReturned) == [true])
        #expect(added.first?.device.id == "usb-1")
    }
}
