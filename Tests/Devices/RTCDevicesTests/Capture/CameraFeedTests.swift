import RTCFrames
import RTCWire
import Synchronization
import Testing

@testable import RTCDevices

@Suite("The camera of a call", .timeLimit(.minutes(2)))
struct CameraFeedTests {
    /// A machine with two built-in cameras, and whatever is plugged in.
    private struct Machine {
        let discovery: FakeDiscovery
        let capture: FakeCapture
        let devices: DeviceList
        let selector: CameraSelector
        let feed: CameraFeed
        let pictures = PictureBox()

        init(
            _ present: [SeenDevice] = [.camera("front", .front), .camera("back", .back)],
            policy: CameraPolicy = CameraPolicy(), canOpenWhileClosing: Bool = true,
            rotation: (@Sendable (MediaDevice) -> any RotationBackend)? = nil
        ) throws {
            discovery = FakeDiscovery(present)
            capture = FakeCapture(canOpenWhileClosing: canOpenWhileClosing)
            devices = try DeviceList(backend: discovery)
            selector = CameraSelector(devices: devices, policy: policy, preference: nil)
            feed = CameraFeed(
                selector,
                system: DeviceSystem(
                    authorization: FakeAuthorization(), discovery: { FakeDiscovery() }, capture: capture,
                    rotation: rotation))
        }

        /// Returns when the list has told the selector what has happened.
        func settle(until holds: (CameraChoice) -> Bool) async {
            for await choice in selector.changes() where holds(choice) { break }
            await feed.settled()
        }
    }

    @Test("It opens the chosen camera when it is started, and closes it when it is stopped, any number of times")
    func startsAndStops() async throws {
        let machine = try Machine()
        await machine.feed.settled()
        #expect(machine.capture.opened.isEmpty)
        for _ in 0..<20 {
            machine.feed.start(delivering: machine.pictures)
            await machine.feed.settled()
            #expect(machine.capture.cameras.map(\.device.id) == ["front"])
            machine.capture.cameras.first?.shoot()
            machine.feed.stop()
            await machine.feed.settled()
            #expect(machine.capture.cameras.isEmpty)
        }
        #expect(machine.pictures.all.count == 20)
        while machine.selector.choice.history.streamed != ["front"] { await Task.yield() }
    }

    @Test("Stopped and started again at once, it goes on", arguments: [true, false])
    func quickRestart(_ canOpenWhileClosing: Bool) async throws {
        let machine = try Machine(canOpenWhileClosing: canOpenWhileClosing)
        for _ in 0..<50 {
            machine.feed.start(delivering: machine.pictures)
            machine.feed.stop()
            machine.feed.start(delivering: machine.pictures)
            await machine.feed.settled()
            let before = machine.pictures.all.count
            machine.capture.cameras.first?.shoot()
            #expect(machine.pictures.all.count == before + 1)
        }
        #expect(canOpenWhileClosing || machine.capture.mostOpen == 1)
    }

    @Test("After a switch, no picture of the old camera comes, nor one that is older than the switch")
    func switches() async throws {
        let machine = try Machine()
        machine.feed.start(delivering: machine.pictures)
        await machine.feed.settled()
        let front = try #require(machine.capture.cameras.first)
        front.shoot()
        let stale = Instant.now
        machine.selector.switchCamera()
        // At once, and not only when the next camera is open.
        front.shoot()
        #expect(machine.pictures.all.count == 1)
        await machine.feed.settled()
        let back = try #require(machine.capture.cameras.first { $0.device.id == "back" })
        #expect(machine.capture.cameras.count == 1)
        front.shoot()
        back.shoot(at: stale)
        #expect(machine.pictures.all.count == 1)
        #expect(machine.feed.device == nil)
        back.shoot()
        #expect(machine.pictures.all.count == 2)
        #expect(machine.feed.device?.id == "back")
    }

    @Test("Nobody waits for a camera that has gone while it is opened or closed")
    func stuck() async throws {
        let (builtIn, webcam) = (SeenDevice.camera("front", .front), SeenDevice.camera("webcam"))
        let machine = try Machine([builtIn, webcam])
        machine.selector.choose("webcam")
        var events = machine.feed.events().makeAsyncIterator()
        machine.feed.start(delivering: machine.pictures)
        await machine.feed.settled()
        machine.capture.cameras.first?.shoot()
        #expect(await events.next() == .using(machine.selector.candidates[0]))
        machine.capture.hold(["webcam", "front"])
        let (front, lost) = (machine.selector.candidates[1], machine.selector.candidates[0])
        machine.discovery.unplug(webcam)
        #expect(await events.next() == .lost(lost))
        // The webcam is being closed, and the other one opened.
        while machine.capture.attempts < 2 { await Task.yield() }
        machine.discovery.unplug(builtIn)
        #expect(await events.next() == .lost(front))
        #expect(await events.next() == DeviceFeedEvent.none)
        machine.discovery.plug(.camera("other"))
        while machine.capture.opened.last != "other" { await Task.yield() }
        machine.capture.hold([])
        await machine.feed.settled()
        #expect(machine.capture.cameras.map(\.device.id) == ["other"], "what was opened too late is closed")
    }

    @Test("Where a machine cannot have two open, the old camera is closed before the next is opened")
    func oneAtATime() async throws {
        let machine = try Machine(canOpenWhileClosing: false)
        machine.feed.start(delivering: machine.pictures)
        for _ in 0..<20 {
            machine.selector.switchCamera()
            await machine.feed.settled()
        }
        #expect(machine.capture.mostOpen == 1)
    }

    @Test("A camera that is plugged in takes over, and the one before it when that is unplugged")
    func plugged() async throws {
        let machine = try Machine()
        var events = machine.feed.events().makeAsyncIterator()
        machine.feed.start(delivering: machine.pictures)
        await machine.feed.settled()
        machine.capture.cameras.first?.shoot()
        #expect(await events.next() == .using(machine.devices.cameras[0]))
        let webcam = SeenDevice.camera("webcam")
        machine.discovery.plug(webcam)
        await machine.settle { $0.current?.id == "webcam" }
        let open = try #require(machine.capture.cameras.first)
        #expect(open.device.id == "webcam")
        open.shoot()
        #expect(await events.next() == .using(open.device))
        // The device says so before the list does.
        open.open.send(.disconnected)
        #expect(await events.next() == .lost(open.device))
        machine.discovery.unplug(webcam)
        await machine.settle { $0.current?.id == "front" }
        machine.capture.cameras.first?.shoot()
        #expect(await events.next() == .using(machine.devices.cameras[0]))
    }

    @Test("The last camera goes: pictures pause, and go on when one comes")
    func pauses() async throws {
        let webcam = SeenDevice.camera("webcam")
        let machine = try Machine([webcam])
        var events = machine.feed.events().makeAsyncIterator()
        machine.feed.start(delivering: machine.pictures)
        await machine.feed.settled()
        let device = machine.devices.cameras[0]
        machine.discovery.unplug(webcam)
        // Nothing but the list says that it is gone.
        #expect(await events.next() == .lost(device))
        #expect(await events.next() == DeviceFeedEvent.none)
        await machine.feed.settled()
        #expect(machine.capture.cameras.isEmpty)
        machine.discovery.plug(webcam.again)
        await machine.settle { $0.current != nil }
        machine.capture.cameras.first?.shoot()
        #expect(machine.pictures.all.count == 1)
    }

    @Test("A camera that cannot be opened is an event, and the next one is used; chosen anew, it has another chance")
    func fails() async throws {
        let machine = try Machine()
        let busy = DeviceError(.busy, "another program has it")
        machine.capture.fail("front", with: busy)
        var events = machine.feed.events().makeAsyncIterator()
        machine.feed.start(delivering: machine.pictures)
        await machine.feed.settled()
        #expect(await events.next() == .failed(machine.devices.cameras[0], busy))
        #expect(machine.capture.cameras.map(\.device.id) == ["back"])
        machine.selector.choose("back")
        machine.capture.fail("front", with: nil)
        await machine.feed.settled()
        machine.selector.choose("front")
        await machine.feed.settled()
        #expect(machine.capture.cameras.map(\.device.id) == ["front"])
    }

    @Test("Where every camera fails, each is tried once, and there is none")
    func allFail() async throws {
        let machine = try Machine()
        for id in ["front", "back"] as [DeviceID] { machine.capture.fail(id, with: DeviceError(.failed, "broken")) }
        var events = machine.feed.events().makeAsyncIterator()
        machine.feed.start(delivering: machine.pictures)
        await machine.feed.settled()
        guard case .failed = await events.next(), case .failed = await events.next() else {
            Issue.record("both should have failed")
            return
        }
        #expect(await events.next() == DeviceFeedEvent.none)
    }

    @Test("A camera that stops working in the call is an event, and the next one is used")
    func breaks() async throws {
        let machine = try Machine()
        var events = machine.feed.events().makeAsyncIterator()
        machine.feed.start(delivering: machine.pictures)
        await machine.feed.settled()
        let front = try #require(machine.capture.cameras.first)
        front.open.send(.interrupted("a telephone call"))
        front.open.send(.resumed)
        front.open.send(.failed(DeviceError(.failed, "broken")))
        #expect(await events.next() == .interrupted(front.device, "a telephone call"))
        #expect(await events.next() == .resumed(front.device))
        #expect(await events.next() == .failed(front.device, DeviceError(.failed, "broken")))
        await machine.feed.settled()
        #expect(machine.capture.cameras.map(\.device.id) == ["back"])
        // What the old one says later is no news.
        front.open.send(.failed(DeviceError(.failed, "broken again")))
        machine.capture.cameras.first?.shoot()
        #expect(await events.next() == .using(machine.devices.cameras[1]))
    }

    @Test("Where every camera fails, they are tried again, without a word, until one works")
    func triesAgain() async throws {
        let machine = try Machine([.camera("front", .front)])
        let busy = DeviceError(.busy, "another program has it")
        machine.capture.fail("front", with: busy)
        var events = machine.feed.events().makeAsyncIterator()
        machine.feed.start(delivering: machine.pictures)
        await machine.feed.settled()
        let front = machine.devices.cameras[0]
        #expect(await events.next() == .failed(front, busy))
        #expect(await events.next() == DeviceFeedEvent.none)
        while machine.capture.attempts < 2 { try await Task.sleep(for: .milliseconds(5)) }
        machine.capture.fail("front", with: nil)
        while machine.capture.cameras.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        await machine.feed.settled()
        machine.capture.cameras.first?.shoot()
        #expect(await events.next() == .using(front))
        // After that a failure is news again.
        machine.capture.fail("front", with: busy)
        machine.capture.cameras.first?.open.send(.failed(busy))
        #expect(await events.next() == .failed(front, busy))
        #expect(await events.next() == DeviceFeedEvent.none)
        machine.feed.stop()
        await machine.feed.settled()
        let attempts = machine.capture.attempts
        try await Task.sleep(for: .milliseconds(1_200))
        #expect(machine.capture.attempts == attempts, "nobody wants a camera any more")
    }

    @Test("A camera that works is not given up for one that did not, and that one is not tried beside it")
    func keepsWhatWorks() async throws {
        let machine = try Machine()
        machine.capture.fail("front", with: DeviceError(.busy, "another program has it"))
        machine.feed.start(delivering: machine.pictures)
        await machine.feed.settled()
        machine.capture.cameras.first?.shoot()
        machine.capture.fail("front", with: nil)
        try await Task.sleep(for: .milliseconds(1_500))
        #expect(machine.capture.attempts == 2)
        #expect(machine.feed.device?.id == "back")
    }

    @Test("A camera that stops working is opened once more, and given up when it stops again")
    func secondChance() async throws {
        let machine = try Machine()
        var events = machine.feed.events().makeAsyncIterator()
        machine.feed.start(delivering: machine.pictures)
        await machine.feed.settled()
        let (front, broken) = (machine.devices.cameras[0], DeviceError(.failed, "its server has gone"))
        for _ in 0..<2 {
            #expect(machine.capture.cameras.map(\.device.id) == ["front"])
            machine.capture.cameras.first?.shoot()
            #expect(await events.next() == .using(front))
            machine.capture.cameras.first?.open.send(.failed(broken))
            #expect(await events.next() == .failed(front, broken))
            await machine.feed.settled()
        }
        #expect(machine.capture.cameras.map(\.device.id) == ["back"])
    }

    @Test("A camera that failed is tried again when it becomes ready")
    func becomesReady() async throws {
        let webcam = SeenDevice.camera("webcam")
        let machine = try Machine([.camera("front", .front), webcam])
        machine.selector.choose("webcam")
        machine.capture.fail("webcam", with: DeviceError(.busy, "another program has it"))
        machine.feed.start(delivering: machine.pictures)
        await machine.feed.settled()
        #expect(machine.capture.cameras.map(\.device.id) == ["front"])
        machine.capture.fail("webcam", with: nil)
        var changed = webcam
        changed.isReady = false
        machine.discovery.plug(changed)
        await machine.settle { !($0.cameras.first { $0.id == "webcam" }?.isReady ?? true) }
        machine.discovery.plug(webcam)
        while machine.capture.cameras.map(\.device.id) != ["webcam"] { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test("A switch while a camera is being opened ends with the right one")
    func switchWhileOpening() async throws {
        let machine = try Machine()
        machine.capture.setDelay(.milliseconds(5))
        machine.feed.start(delivering: machine.pictures)
        for _ in 0..<15 {
            machine.selector.switchCamera()
            await Task.yield()
        }
        await machine.feed.settled()
        #expect(machine.capture.cameras.map(\.device.id) == [machine.selector.choice.current?.id])
    }

    @Test("The format nearest to what is wanted is opened, and another one when that is wanted instead")
    func formats() async throws {
        let formats = [(640, 480), (1_280, 720)].map {
            CameraFormat(width: $0.0, height: $0.1, frameRates: [30...30], pixelFormat: .yuy2)
        }
        let machine = try Machine([.camera("webcam", formats: formats)])
        machine.feed.start(delivering: machine.pictures)
        await machine.feed.settled()
        #expect(machine.feed.format?.format.height == 720)
        machine.feed.request = .vga
        await machine.feed.settled()
        #expect(machine.feed.format?.format.height == 480)
        // A wish that ends in the same format opens nothing.
        machine.feed.request = CaptureRequest(width: 640, height: 400)
        await machine.feed.settled()
        #expect(machine.capture.opened.count == 2)
        // One camera cannot be open twice.
        #expect(machine.capture.mostOpen == 1)
    }

    @Test("What the camera has not cannot be set, nor out of its range")
    func settings() async throws {
        var seen = SeenDevice.camera("webcam")
        seen.controls = CameraControls(zoom: 1...4, focusModes: [.continuous])
        let machine = try Machine([seen])
        #expect(throws: DeviceError.self) { try machine.feed.set(.zoom(2)) }
        machine.feed.start(delivering: machine.pictures)
        await machine.feed.settled()
        try machine.feed.set(.zoom(2))
        try machine.feed.set(.focus(.continuous))
        let wrong: [CameraSetting] = [
            .zoom(5), .zoom(.nan), .focus(.locked), .lensPosition(0.5), .exposure(.locked), .exposureBias(0),
        ]
        for setting in wrong {
            let error = #expect(throws: DeviceError.self) { try machine.feed.set(setting) }
            #expect(error?.code == .unsupported)
        }
        #expect(machine.capture.cameras.first?.open.settings == [.zoom(2), .focus(.continuous)])
    }

    @Test("Each picture says how it is to be turned, with angles of its own for each camera")
    func rotation() async throws {
        let sensor = SensorRotationTests.Sensor()
        let made = Mutex<[DeviceID]>([])
        let machine = try Machine(rotation: { device in
            made.withLock { $0.append(device.id) }
            var device = device
            if device.kind == .builtIn { device.mounting = .clockwise90 }
            return SensorRotation(for: device, sensor: sensor)
        })
        var events = machine.feed.events().makeAsyncIterator()
        machine.feed.start(delivering: machine.pictures)
        await machine.feed.settled()
        machine.capture.cameras.first?.shoot()
        sensor.turn(.landscapeRight)
        machine.capture.cameras.first?.shoot()
        #expect(machine.pictures.all.map(\.rotation) == [.clockwise90, .none])
        let front = machine.devices.cameras[0]
        #expect(await events.next() == .using(front))
        let turned = RotationAngles(preview: .none, capture: .none)
        #expect(await events.next() == .turned(front, turned))
        #expect(machine.feed.angles == turned)
        machine.discovery.plug(.camera("webcam"))
        await machine.settle { $0.current?.id == "webcam" }
        machine.capture.cameras.first?.shoot()
        #expect(machine.pictures.all.last?.rotation == VideoRotation.none)
        #expect(made.withLock { $0 } == ["front", "webcam"])
        machine.feed.stop()
        await machine.feed.settled()
        #expect(!sensor.isStarted)
        #expect(machine.feed.angles == nil)
    }

    @Test("One's own picture is turned for the screen that it is seen on, and what is sent for the other side")
    func preview() async throws {
        typealias Sensor = SensorRotationTests.Sensor
        let made = Mutex<(sensor: Sensor, rotation: SensorRotation)?>(nil)
        let machine = try Machine(rotation: { device in
            var device = device
            if device.kind == .builtIn { device.mounting = .clockwise90 }
            let sensor = Sensor()
            let rotation = SensorRotation(for: device, sensor: sensor, interface: .stays(.portrait))
            made.withLock { $0 = (sensor, rotation) }
            return rotation
        })
        machine.feed.start(delivering: machine.pictures)
        for (id, isMirrored) in [("front", true), ("back", false)] as [(DeviceID, Bool)] {
            machine.selector.choose(id)
            await machine.feed.settled()
            let (sensor, rotation) = try #require(made.withLock { $0 })
            for (orientation, capture) in [
                (DeviceOrientation.portrait, VideoRotation.clockwise90),
                (.landscapeLeft, id == "back" ? .none : .clockwise180),
            ] {
                sensor.turn(orientation)
                machine.capture.cameras.first?.shoot()
                let picture = try #require(machine.pictures.all.last)
                #expect(picture.rotation == capture)
                // A portrait-only app's preview stays as it is.
                #expect(picture.rotation(isMirrored: isMirrored) == .clockwise90)
                // Shown the other way, it is what is worked out for that.
                rotation.setMirrored(!isMirrored)
                #expect(picture.rotation(isMirrored: !isMirrored) == rotation.angles.preview)
                machine.capture.cameras.first?.shoot()
                #expect(machine.pictures.all.last?.screenRotation == picture.screenRotation)
                rotation.setMirrored(isMirrored)
            }
        }
        machine.feed.stop()
        await machine.feed.settled()
    }

    @Test("Another size that is wanted while a camera is being opened is what it is opened with in the end")
    func requestWhileOpening() async throws {
        let formats = [CapturePreset.hd720, .vga].map {
            CameraFormat(width: $0.width, height: $0.height, frameRates: [30...30], pixelFormat: .nv12)
        }
        let machine = try Machine([.camera("front", .front, formats: formats)])
        machine.capture.setDelay(.milliseconds(50))
        machine.feed.start(delivering: machine.pictures)
        // The wish is read before the camera takes its time.
        while machine.capture.attempts < 1 { await Task.yield() }
        machine.feed.request = .vga
        await machine.feed.settled()
        #expect(machine.feed.format?.format.width == 640)
        #expect(machine.capture.cameras.count == 1)
    }

    @Test(
        "Plugged and unplugged ten thousand times in a call, and switched: in the end the right camera is open, and one"
    )
    func storm() async throws {
        let machine = try Machine()
        machine.feed.start(delivering: machine.pictures)
        var random = SplitMix(seed: 11)
        var webcam: SeenDevice? = nil
        for _ in 0..<10_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                if let old = webcam { machine.discovery.unplug(old) }
                webcam = .camera("webcam")
                if let webcam { machine.discovery.plug(webcam) }
            case 2:
                if let old = webcam { machine.discovery.unplug(old) }
                webcam = nil
            case 3: machine.selector.switchCamera()
            default: machine.capture.cameras.first?.shoot()
            }
        }
        machine.discovery.send(.snapshot([.camera("last")]))
        await machine.settle { $0.current?.id == "last" && $0.cameras.count == 1 }
        #expect(machine.capture.cameras.map(\.device.id) == ["last"])
        machine.feed.stop()
        await machine.feed.settled()
        #expect(machine.capture.cameras.isEmpty)
    }

    @Test("A feed that goes closes its camera")
    func goes() async throws {
        let capture: FakeCapture
        do {
            let machine = try Machine()
            capture = machine.capture
            machine.feed.start(delivering: machine.pictures)
            await machine.feed.settled()
            #expect(capture.cameras.count == 1)
        }
        while !capture.cameras.isEmpty { await Task.yield() }
    }
}
