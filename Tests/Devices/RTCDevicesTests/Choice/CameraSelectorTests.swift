import Dispatch
import Synchronization
import Testing

@testable import RTCDevices

/// A platform that remembers choices, as AVCaptureDevice does: it prefers what was plugged in last, or else what was chosen, and
/// says so on a thread of its own.
/// https://developer.apple.com/documentation/avfoundation/avcapturedevice/userpreferredcamera
/// https://developer.apple.com/documentation/avfoundation/avcapturedevice/systempreferredcamera
private final class FakePreference: CameraPreferenceBackend {
    private struct State {
        var preferred: DeviceID?
        var chosen: [DeviceID] = []
        var observers = PreferenceObservers()
    }

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "fake preference")

    init(_ preferred: DeviceID?) { state = Mutex(State(preferred: preferred)) }

    var systemPreferred: DeviceID? { state.withLock { $0.preferred } }
    var chosen: [DeviceID] { state.withLock { $0.chosen } }

    func setUserPreferred(_ id: DeviceID) {
        state.withLock { $0.chosen.append(id) }
        prefer(id)
    }

    func observe(for selector: CameraSelector, _ report: @escaping @Sendable (DeviceID?) -> Void) {
        state.withLock { $0.observers.add(selector, report) }
    }

    /// How many are told.
    var observerCount: Int { state.withLock { $0.observers.reports().count } }

    func prefer(_ id: DeviceID?) {
        state.withLock { $0.preferred = id }
        queue.async {
            let (preferred, reports) = self.state.withLock { ($0.preferred, $0.observers.reports()) }
            for report in reports { report(preferred) }
        }
    }
}

private final class MemoryStore: CameraHistoryStore {
    private let history = Mutex<CameraHistory?>(nil)
    func load() -> CameraHistory? { history.withLock { $0 } }
    func save(_ history: CameraHistory) { self.history.withLock { $0 = history } }
}

@Suite("The choice of camera on a machine", .timeLimit(.minutes(2)))
struct CameraSelectorTests {
    private let discovery = FakeDiscovery([.camera("front", .front), .camera("back", .back)])

    private func selector(
        _ policy: CameraPolicy = CameraPolicy(), store: MemoryStore? = nil, preference: FakePreference? = nil
    ) throws -> CameraSelector {
        CameraSelector(
            devices: try DeviceList(backend: discovery), policy: policy, store: store, preference: preference)
    }

    @Test("A camera can be chosen as soon as it is in the list")
    func chosenAtOnce() throws {
        let selector = try selector()
        for _ in 0..<20 {
            let (first, second) = (SeenDevice.camera("first"), SeenDevice.camera("second"))
            discovery.plug(first)
            discovery.plug(second)
            discovery.flush()
            selector.choose("first")
            #expect(selector.choice.current?.id == "first")
            discovery.unplug(first)
            discovery.unplug(second)
            discovery.flush()
            selector.choose("back")
            #expect(selector.choice.current?.id == "back")
        }
    }

    @Test("What a person chooses is kept, and found again by the next launch")
    func kept() throws {
        let store = MemoryStore()
        let first = try selector(store: store)
        #expect(store.load() == first.choice.history)
        first.switchCamera()
        #expect(try selector(store: store).choice.current?.id == "back")
    }

    @Test("Changes begin with the present, and who is late gets the latest")
    func changes() async throws {
        let selector = try selector()
        var changes = selector.changes().makeAsyncIterator()
        #expect(await changes.next()?.current?.id == "front")
        for _ in 0..<11 { selector.switchCamera() }
        #expect(await changes.next()?.current?.id == "back")
        discovery.plug(.camera("webcam"))
        #expect(await changes.next()?.current?.id == "webcam")
    }

    @Test("The platform is told what a person chose, and what it prefers is used")
    func platform() async throws {
        let preference = FakePreference("front")
        let selector = try selector(preference: preference)
        selector.choose("back")
        selector.switchCamera()
        #expect(preference.chosen == ["back", "front"])
        preference.prefer("back")
        for await choice in selector.changes() where choice.current?.id == "back" { break }
        // In a recording it may prefer what it likes.
        selector.beginRecording()
        preference.prefer("front")
        for await choice in selector.changes() where choice.pending?.id == "front" { break }
        #expect(selector.choice.current?.id == "back")
        selector.endRecording()
        #expect(selector.choice.current?.id == "front")
    }

    @Test("Of two recordings the last one's end lets the camera change")
    func twoRecordings() throws {
        let selector = try selector(preference: FakePreference("front"))
        for _ in 0..<2 { selector.beginRecording() }
        selector.choose("back")
        selector.endRecording()
        #expect(selector.choice.current?.id == "front" && selector.choice.pending?.id == "back")
        selector.endRecording()
        #expect(selector.choice.current?.id == "back")
        // An end too many is none.
        selector.endRecording()
        selector.beginRecording()
        selector.choose("front")
        #expect(selector.choice.current?.id == "back")
    }

    @Test("A selector that has gone is told nothing more, and forgotten")
    func gone() throws {
        let preference = FakePreference("front")
        let kept = try selector(preference: preference)
        for _ in 0..<100 { _ = try selector(preference: preference) }
        #expect(preference.observerCount == 1)
        withExtendedLifetime(kept) {}
    }

    @Test("Where an app begins is told to the platform at its first launch, and never again")
    func firstLaunch() throws {
        let (store, preference) = (MemoryStore(), FakePreference("front"))
        #expect(try selector(.camera, store: store, preference: preference).choice.current?.id == "back")
        #expect(preference.chosen == ["back"])
        preference.prefer("front")
        #expect(try selector(.camera, store: store, preference: preference).choice.current?.id == "front")
        #expect(preference.chosen == ["back"])
    }

    @Test(
        "Where the platform has an opinion, a call begins with the front camera all the same, and a scanner with the back one"
    )
    func beginning() async throws {
        let call = FakePreference("back")
        let selector = try selector(.call, preference: call)
        #expect(selector.choice.current?.id == "front")
        #expect(try self.selector(.scanner, preference: FakePreference("front")).choice.current?.id == "back")
        // Another opinion counts.
        call.prefer("front")
        for await choice in selector.changes() where choice.systemPreferred?.id == "front" { break }
        call.prefer("back")
        for await choice in selector.changes() where choice.current?.id == "back" { break }
    }

    @Test("A service of the system that was away changes nothing of what a person chose")
    func serverLoss() async throws {
        let (front, back, webcam) = (
            SeenDevice.camera("front", .front), SeenDevice.camera("back", .back), SeenDevice.camera("webcam")
        )
        let discovery = FakeDiscovery([front, back, webcam])
        let selector = CameraSelector(
            devices: try DeviceList(backend: discovery), policy: CameraPolicy(), preference: nil)
        selector.choose("back")
        for _ in 0..<3 {
            discovery.send(.lost(DeviceError(.unavailable, "the server has died")))
            for await choice in selector.changes() where choice.current == nil { break }
            // They come one by one, or at once.
            let (front, back, webcam) = (front.again, back.again, webcam.again)
            discovery.plug(webcam)
            discovery.plug(back)
            discovery.send(.snapshot([front, back, webcam]))
            for await choice in selector.changes() where choice.cameras.count == 3 { break }
            #expect(selector.choice.current?.id == "back")
        }
        let plugged = SeenDevice.camera("another")
        discovery.plug(plugged)
        for await choice in selector.changes() where choice.current?.id == "another" { break }
    }

    @Test("A list, a button and a recording on four threads at once: the rules hold in the end")
    func threads() async throws {
        let selector = try selector()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for _ in 0..<500 { selector.switchCamera() } }
            group.addTask { for _ in 0..<500 { selector.choose("front") } }
            group.addTask {
                for _ in 0..<500 {
                    selector.beginRecording()
                    selector.endRecording()
                }
            }
            group.addTask {
                for index in 0..<500 {
                    let webcam = SeenDevice.camera("webcam \(index % 3)")
                    discovery.plug(webcam)
                    discovery.unplug(webcam)
                }
            }
        }
        discovery.flush()
        for await choice in selector.changes() where choice.cameras.count == 2 { break }
        selector.choose("back")
        #expect(selector.choice.current?.id == "back")
    }
}
