import RTCWire
import Synchronization
import Testing

@testable import RTCDevices

@Suite("The list of devices", .timeLimit(.minutes(2)))
struct DeviceListTests {
    @Test("It has what is there when it is made")
    func present() throws {
        let discovery = FakeDiscovery([.camera("front", .front), .microphone("m", kind: .builtIn)])
        let list = try DeviceList(backend: discovery)
        #expect(list.cameras.map(\.id) == ["front"])
        #expect(list.microphones.map(\.id) == ["m"])
        #expect(list.speakers.isEmpty)
    }

    @Test("A machine on which nothing sees devices says so")
    func unavailable() {
        let error = #expect(throws: DeviceError.self) { try DeviceList(backend: FakeDiscovery(fails: true)) }
        #expect(error?.code == .unavailable)
    }

    @Test("Who begins with what is present gets each device once, whatever happens at that moment")
    func includingPresent() async throws {
        let discovery = FakeDiscovery()
        let list = try DeviceList(backend: discovery)
        for index in 0..<200 {
            discovery.plug(.camera("\(index)"))
            if index % 20 == 10 {
                let changes = list.changes(includingPresent: true)
                discovery.flush()
                var seen: Set<DeviceID> = []
                var iterator = changes.makeAsyncIterator()
                while seen.count <= index, let change = await iterator.next() {
                    #expect(seen.insert(change.device.id).inserted)
                }
                #expect(seen.count == index + 1)
            }
        }
    }

    @Test("A device that is unplugged is never connected again, however often it comes back")
    func neverAgain() async throws {
        let discovery = FakeDiscovery()
        let list = try DeviceList(backend: discovery)
        var changes = list.changes().makeAsyncIterator()
        var old: [MediaDevice] = []
        var camera = SeenDevice.camera("a")
        for _ in 0..<50 {
            discovery.plug(camera)
            let device = try #require(await changes.next()?.device)
            #expect(list.isConnected(device))
            #expect(!old.contains { list.isConnected($0) })
            discovery.unplug(camera)
            #expect(await changes.next() == .removed(device))
            #expect(!list.isConnected(device))
            old.append(device)
            camera = camera.again
        }
        #expect(Set(old.map(\.id)).count == 1)
    }

    @Test("Ten times a second or ten thousand: who reads along is told of each, in order")
    func fast() async throws {
        let discovery = FakeDiscovery()
        let list = try DeviceList(backend: discovery)
        var changes = list.changes().makeAsyncIterator()
        for _ in 0..<20 {
            var camera = SeenDevice.camera("a")
            for _ in 0..<100 {
                discovery.plug(camera)
                discovery.unplug(camera)
                camera = camera.again
            }
            for index in 0..<200 {
                let change = try #require(await changes.next())
                guard case .added = change else {
                    #expect(index % 2 == 1)
                    continue
                }
                #expect(index % 2 == 0)
            }
        }
    }

    @Test("Who does not read is told in the end what has become of it all, and memory does not grow")
    func slow() async throws {
        let discovery = FakeDiscovery([.camera("stays", .front), .camera("goes", .back)])
        let list = try DeviceList(backend: discovery)
        let changes = list.changes(includingPresent: true)
        var camera = SeenDevice.camera("a")
        for _ in 0..<5_000 {
            discovery.plug(camera)
            discovery.unplug(camera)
            camera = camera.again
        }
        discovery.send(.snapshot([.camera("new")]))
        discovery.flush()
        list.stop()
        var connected: [DeviceID] = []
        var count = 0
        for await change in changes {
            count += 1
            switch change {
            case .added(let device): connected.append(device.id)
            case .removed(let device): connected.removeAll { $0 == device.id }
            case .changed: break
            }
        }
        #expect(connected == ["new"])
        #expect(count <= 300)
    }

    @Test("A stopped list is empty, its changes end, and it looks for nothing any more")
    func stops() async throws {
        let discovery = FakeDiscovery([.camera("a")])
        let list = try DeviceList(backend: discovery)
        let device = try #require(list.cameras.first)
        let changes = list.changes()
        list.stop()
        #expect(!list.isConnected(device))
        #expect(!discovery.isStarted)
        for await _ in changes { Issue.record("a change after the end") }
        for await _ in list.changes(includingPresent: true) { Issue.record("a change after the end") }
    }

    @Test("The list goes when nobody has it any more, and with it the looking")
    func lets() async throws {
        let discovery = FakeDiscovery([.camera("a")])
        do {
            let list = try DeviceList(backend: discovery)
            #expect(discovery.isStarted)
            _ = list.cameras
        }
        #expect(!discovery.isStarted)
    }

    @Test("A server that dies is told as a failure until it is back")
    func failure() async throws {
        let discovery = FakeDiscovery([.camera("a")])
        let list = try DeviceList(backend: discovery)
        discovery.send(.lost(DeviceError(.failed, "PipeWire has ended")))
        discovery.flush()
        #expect(list.failure?.message == "PipeWire has ended")
        #expect(list.cameras.isEmpty)
        discovery.send(.snapshot([.camera("a")]))
        discovery.flush()
        #expect(list.failure == nil)
        #expect(list.cameras.count == 1)
    }

    @Test("What another service still sees half a second later comes back by itself")
    func graceEnds() async throws {
        let node = SeenDevice(
            service: .pipeWire, handle: "1", stableID: "a", hardware: "/dev/video0", media: .camera, name: "a")
        var file = node
        file.service = .v4l2
        let discovery = FakeDiscovery([node, file])
        let list = try DeviceList(backend: discovery)
        var changes = list.changes().makeAsyncIterator()
        discovery.unplug(node)
        let removed = try #require(await changes.next())
        #expect(removed == .removed(removed.device))
        let added = try #require(await changes.next())
        #expect(added == .added(added.device))
        #expect(!added.device.isSameInstance(as: removed.device))
    }
}
