import Dispatch
import Synchronization
import Testing

@testable import RTCDevices

/// A framework with Apple's rules: an object for each connection, which once disconnected stays so, and notifications on any
/// thread, in any order.
/// https://developer.apple.com/documentation/avfoundation/avcapturedevice/isconnected
/// https://developer.apple.com/documentation/avfoundation/avcapturedevice/wasconnectednotification
private final class FakeFrameworkDevice: FrameworkDevice, Sendable {
    let uniqueID: String
    private let connected = Atomic(true)
    init(_ uniqueID: String) { self.uniqueID = uniqueID }
    var isConnected: Bool { connected.load(ordering: .sequentiallyConsistent) }
    func disconnect() { connected.store(false, ordering: .sequentiallyConsistent) }
}

@Suite("The objects of Apple's frameworks", .timeLimit(.minutes(2)))
struct DeviceHandleTableTests {
    @Test("An object keeps its handle; the same thing plugged in again has another one")
    func handles() {
        let ledger = DeviceHandleTable<FakeFrameworkDevice>()
        let first = FakeFrameworkDevice("a")
        let handle = ledger.handles(of: [first])
        #expect(ledger.handles(of: [first]) == handle)
        first.disconnect()
        let second = FakeFrameworkDevice("a")
        let other = ledger.handles(of: [second])
        #expect(other != handle)
        #expect(ledger.withDevice(handle[0]) { $0.uniqueID } == nil)
        #expect(ledger.withDevice(other[0]) { $0.uniqueID } == "a")
    }

    @Test("A list that still has a disconnected device does not bring it back")
    func lateList() {
        let ledger = DeviceHandleTable<FakeFrameworkDevice>()
        let (gone, there) = (FakeFrameworkDevice("a"), FakeFrameworkDevice("b"))
        let handles = ledger.handles(of: [gone, there])
        gone.disconnect()
        #expect(ledger.handles(of: [gone, there]) == [handles[1]])
        // A device that an older list does not have yet keeps its handle.
        #expect(ledger.handles(of: []) == [])
        #expect(ledger.handles(of: [there]) == [handles[1]])
    }

    @Test("While something long is done with one object, the others are found")
    func longWork() {
        let ledger = DeviceHandleTable<FakeFrameworkDevice>()
        let (first, second) = (FakeFrameworkDevice("a"), FakeFrameworkDevice("b"))
        let handles = ledger.handles(of: [first, second])
        let found = ledger.withDevice(handles[0]) { _ in
            let done = DispatchSemaphore(value: 0)
            let name = Mutex<String?>(nil)
            DispatchQueue.global().async {
                let id = ledger.withDevice(handles[1]) { $0.uniqueID }
                name.withLock { $0 = id }
                done.signal()
            }
            guard done.wait(timeout: .now() + 10) == .success else { return "nobody" }
            return name.withLock { $0 } ?? "none"
        }
        #expect(found == "b")
    }

    @Test("Plugged and unplugged while four threads notify: what is told in the end is what is connected")
    func threads() async {
        let framework = FakeNotifications()
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for _ in 0..<200 { framework.plugAndUnplug("camera \(thread)") }
                }
            }
        }
        framework.notify()
        #expect(framework.devices.isEmpty)
        #expect(framework.instancesSeen >= 4)
        #expect(!framework.hasSeenOneTwice)
    }
}

/// A framework that notifies on the thread that plugs and unplugs, and whoever looks at it as the adapter does.
private final class FakeNotifications: Sendable {
    private let ledger = DeviceHandleTable<FakeFrameworkDevice>()
    private let present = Mutex<[FakeFrameworkDevice]>([])
    private let registry = Mutex(DeviceRegistry())
    private let instances = Mutex<[Int]>([])
    private let queue = DispatchQueue(label: "looks")

    var devices: [MediaDevice] { registry.withLock { $0.devices } }
    var instancesSeen: Int { instances.withLock { $0.count } }
    var hasSeenOneTwice: Bool { instances.withLock { Set($0).count < $0.count } }

    func plugAndUnplug(_ id: String) {
        let device = FakeFrameworkDevice(id)
        present.withLock { $0.append(device) }
        notify()
        device.disconnect()
        notify()
        present.withLock { $0.removeAll { $0 === device } }
    }

    /// Any notification is a hint to look again, on one queue, at what the framework has now.
    func notify() {
        queue.sync {
            let devices = present.withLock { $0 }
            let snapshot = ledger.handles(of: devices).compactMap { handle in
                ledger.withDevice(handle) {
                    SeenDevice(
                        service: .avFoundation, handle: handle, stableID: $0.uniqueID, media: .camera, name: "A")
                }
            }
            let changes = registry.withLock { $0.apply(.snapshot(snapshot), at: .now) }
            for case .added(let device) in changes { instances.withLock { $0.append(device.instance) } }
        }
    }
}

@Suite("Microphones of a system that routes sound by itself")
struct InputPortsTests {
    private let builtIn = InputPorts.Port(id: "1", name: "iPad Microphone", isBuiltIn: true)
    private let display = InputPorts.Port(id: "2", name: "Studio Display Microphone", isBuiltIn: false)

    @Test("While the app does not record there is one, and its name follows the route as the same instance")
    func oneDevice() throws {
        var registry = DeviceRegistry()
        func look(_ name: String) -> [DeviceList.Change] {
            registry.apply(.snapshot(InputPorts.microphones([], device: ("h/1", name))), at: .now)
        }
        let device = try #require(look("iPad Microphone").first?.device)
        guard case .changed(let renamed)? = look("Studio Display Microphone").first else {
            Issue.record("its name does not follow")
            return
        }
        #expect(renamed.name == "Studio Display Microphone")
        #expect(renamed.isSameInstance(as: device))
        #expect(InputPorts.microphones([], device: nil).isEmpty)
        #expect(InputPorts.port(of: renamed.handle, among: []) == nil)
        #expect(InputPorts.port(of: renamed.handle, among: [builtIn]) == nil)
    }

    @Test("When it records, each port is a microphone that can be chosen, and a camera's is offered with it")
    func ports() {
        let camera = SeenDevice.camera("display", group: "display")
        var named = camera
        named.name = "Studio Display Camera"
        let seen = InputPorts.microphones([builtIn, display], device: ("h/1", "x"), cameras: [named])
        #expect(seen.map(\.name) == ["iPad Microphone", "Studio Display Microphone"])
        #expect(seen.map(\.kind) == [.builtIn, .external])
        #expect(seen.map(\.group) == [nil, "display"])
        #expect(InputPorts.port(of: seen[1].handle, among: []) == "2")
        // Who goes back to the built-in one from a headset asks for it.
        #expect(InputPorts.port(of: seen[0].handle, among: [builtIn, display]) == "1")
    }

    @Test("The only microphone is the same one when the app begins to record, and ports appear by that")
    func appearing() throws {
        var registry = DeviceRegistry()
        var choice = MicrophoneChoice()
        func look(_ ports: [InputPorts.Port]) -> [DeviceList.Change] {
            let seen = InputPorts.microphones(ports, device: ("h/1", "iPad Microphone"))
            defer { choice.update(registry.devices) }
            return registry.apply(.snapshot(seen), at: .now)
        }
        _ = look([])
        let used = try #require(choice.current)
        #expect(look([builtIn]).isEmpty)
        #expect(look([builtIn, display]).count == 1)
        #expect(registry.devices.contains { $0.isSameInstance(as: used) })
        // A system without a built-in port keeps the one device, too.
        #expect(look([display]).isEmpty)
        #expect(look([]).count == 1 && registry.devices.map(\.instance) == [used.instance])
    }

    @Test("Whoever wears a headset when the app starts speaks into that")
    func headset() {
        var registry = DeviceRegistry()
        var headset = display
        headset.isRouted = true
        _ = registry.apply(.snapshot(InputPorts.microphones([builtIn, headset], device: ("h/1", "x"))), at: .now)
        var choice = MicrophoneChoice()
        choice.update(registry.devices)
        #expect(choice.current?.name == headset.name)
        choice.choose("microphone")
        #expect(choice.current?.name == builtIn.name)
    }
}
