import Dispatch
package import RTCFrames
import Synchronization

/// The audio engine of a process: one microphone and one output, shared by all clients that record or play.
///
/// It carries out what ``EngineRules`` say, on a queue of its own.
// All mutable state is used on the queue alone.
package final class DuplexEngine: @unchecked Sendable {
    /// An attachment, which ends by ``detach(_:)``.
    package struct Client: Sendable, Hashable {
        fileprivate let number: Int
    }

    private let queue = DispatchQueue(label: "duet.devices.engine", qos: .userInitiated)
    private let intake = MicrophoneIntake()
    private let mix = PlayoutMix()
    private let recorded = AudioFanOut()
    private let clientCount = Atomic(0)
    private let paused = Atomic(false)
    private let hardware: any EngineHardware
    private var rules: EngineRules
    private var onEvent: [Int: @Sendable (CaptureEvent) -> Void] = [:]
    private var followers: [Int: @Sendable (EngineNotice) -> Void] = [:]

    init(_ hardware: sending any EngineHardware) {
        self.hardware = hardware
        rules = EngineRules(prefersInputs: hardware.prefersInputs)
        intake.set(recorded)
        hardware.observe { @Sendable [weak self] event in self?.handle(.engine(event)) }
    }

    // MARK: Attaching

    /// Starts recording as soon as possible.
    ///
    /// - Parameters:
    ///   - sink: Receives frames of 10 ms at 48 kHz, whatever the microphone's rate.
    ///   - staysAttached: Whether the client stays attached when the microphone fails; otherwise `failed` is the last
    ///     event.
    ///   - onEvent: Called on the engine's queue.
    package func record(
        from device: String? = nil, processing: VoiceProcessing = .call, staysAttached: Bool = false,
        to sink: any AudioSink, onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) -> Client {
        let client = newClient()
        recorded.add(sink, as: client.number)
        let request = EngineRules.Recorder(device: device, processing: processing, staysAttached: staysAttached)
        queue.async { self.onEvent[client.number] = onEvent }
        handle(.recorderAdded(client.number, request))
        return client
    }

    /// Starts playing as soon as possible.
    ///
    /// - Parameter fill: Fills 16-bit mono samples at 48 kHz, on the audio thread; returns whether they are not silent.
    package func play(_ fill: @escaping @Sendable (UnsafeMutableBufferPointer<Int16>) -> Bool) -> Client {
        let client = newClient()
        mix.add(fill, as: client.number)
        handle(.playerAdded(client.number))
        return client
    }

    /// Detaches a client: when this returns, nothing more is delivered to it or requested from it.
    package func detach(_ client: Client) {
        let number = client.number
        recorded.remove(number)
        mix.remove(number)
        queue.async { (self.onEvent[number], self.followers[number]) = (nil, nil) }
        handle(.recorderRemoved(number))
        handle(.playerRemoved(number))
    }

    /// Reports changes of the engine until the client is detached, and the current route, if there is one.
    ///
    /// - Parameter follower: Called on the engine's queue.
    package func follow(_ follower: @escaping @Sendable (EngineNotice) -> Void) -> Client {
        let client = newClient()
        queue.async {
            self.followers[client.number] = follower
            if let route = self.rules.reportedRoute { follower(.route(route)) }
        }
        return client
    }

    /// Tells whether the audio session is active, if the app manages it: from now on the engine does not activate or
    /// deactivate the session itself, and runs only while it is active.
    package func setMayRun(_ mayRun: Bool) {
        paused.store(!mayRun, ordering: .relaxed)
        handle(.mayRun(mayRun))
    }

    /// Whether the engine waits for the app to activate the audio session.
    var isPaused: Bool { paused.load(ordering: .relaxed) }

    /// The current rates and latencies.
    package var route: EngineRoute { queue.sync { hardware.route } }

    /// Checks whether a microphone can be used, without recording or activating the session.
    package func checkInput(_ device: String? = nil) -> Result<Void, DeviceError> { queue.sync { check(device) } }

    /// Like ``checkInput(_:)``, without blocking a thread.
    func canRecord(from device: String?) async -> Result<Void, DeviceError> {
        await withCheckedContinuation { done in queue.async { done.resume(returning: self.check(device)) } }
    }

    /// Returns when all earlier requests are carried out.
    package func settled() async { await withCheckedContinuation { done in queue.async { done.resume() } } }

    private func newClient() -> Client {
        Client(number: clientCount.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    // MARK: On the queue

    private func handle(_ event: EngineRules.Event) {
        queue.async {
            self.rules.handle(event, self.hardware.route)
            while let step = self.rules.next() {
                let result = self.carryOut(step)
                self.rules.stepCompleted(step, result, self.hardware.route)
            }
        }
    }

    private func check(_ device: String?) -> Result<Void, DeviceError> {
        do throws(DeviceError) {
            try hardware.prepareSession()
        } catch {
            return .failure(error)
        }
        guard !hardware.hasInput(device) else { return .success(()) }
        return .failure(
            device == nil
                ? DeviceError(.notFound, "there is no microphone to record from")
                : DeviceError(.disconnected, "the microphone is not connected any more"))
    }

    private func carryOut(_ step: EngineRules.Step) -> Result<Void, DeviceError> {
        do throws(DeviceError) {
            switch step {
            case .prepareSession: try hardware.prepareSession()
            case .setActive(let isActive): try hardware.setActive(isActive)
            case .preferInput(let device): try hardware.preferInput(device)
            case .build(let form): try hardware.build(form, recordingTo: intake, playing: mix)
            case .start: try hardware.start()
            case .stop: hardware.stop()
            case .release:
                hardware.release()
                intake.disconnect()
            case .tell(let client, let event): onEvent[client]?(event)
            case .notifyAll(let notice): for tell in followers.values { tell(notice) }
            case .wait(let number, let seconds):
                queue.asyncAfter(deadline: .now() + seconds) { [weak self] in self?.handle(.waited(number)) }
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}
