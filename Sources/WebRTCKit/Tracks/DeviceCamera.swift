internal import RTCDevices
internal import RTCFrames
internal import Synchronization

/// The machine's cameras as a call uses them: the front one or an external one, and another one when that is plugged in or goes.
/// One is open while somebody needs its pictures.
final class DeviceCamera: DefaultCamera {
    private struct State {
        var feed: CameraFeed?
    }

    private let state = Mutex(State())
    private let system: DeviceSystem
    private let authorization: MediaAuthorization
    private let store: (any CameraHistoryStore)?

    /// Looks for nothing and asks nobody yet.
    init(system: DeviceSystem, authorization: MediaAuthorization, store: (any CameraHistoryStore)?) {
        self.system = system
        self.authorization = authorization
        self.store = store
    }

    func requestAccess() async throws(CallManagerError) {
        do throws(DeviceError) {
            try await authorization.request(for: .video)
            guard try feed().selector.choice.current != nil else {
                throw DeviceError(.notFound, "there is no camera that can be used: pass a videoCapturer, or a source")
            }
        } catch {
            throw .deviceUnavailable(error.message)
        }
    }

    func start(delivering sink: any VideoSink) {
        // Whoever starts has asked for access, which makes the feed; one that cannot be made delivers nothing.
        (try? feed())?.start(delivering: sink)
    }

    func stop() { state.withLock { $0.feed }?.stop() }

    private func feed() throws(DeviceError) -> CameraFeed {
        if let feed = state.withLock({ $0.feed }) { return feed }
        let devices = try DeviceList(backend: system.discovery())
        let selector = CameraSelector(
            devices: devices, policy: .call, store: store, preference: system.preference)
        let feed = CameraFeed(selector, system: system)
        return state.withLock { state in
            state.feed = state.feed ?? feed
            return state.feed ?? feed
        }
    }
}
