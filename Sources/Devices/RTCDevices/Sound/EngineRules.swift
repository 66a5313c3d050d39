/// Decides what the single audio engine of a process does: a value that receives requests and events, and returns the
/// next step until there is none.
///
/// A process has one engine with voice processing; the system ducks every other one. All clients that record or play
/// share it. An engine stops by itself when the route changes, and its connections keep the old rate: for another rate
/// it is rebuilt. It cannot start while another app has the microphone, or before the owner of the audio session has
/// activated it.
struct EngineRules: Sendable {
    typealias Client = Int

    /// One client's request for the microphone.
    struct Recorder: Sendable, Hashable {
        /// The system's name of the device; `nil` if the system chooses.
        var device: String?
        var processing = VoiceProcessing.call
        /// Whether the client stays attached when the microphone fails, and receives audio again when it works again.
        var staysAttached = false
    }

    /// The configuration that an engine is built for.
    struct Form: Sendable, Hashable {
        struct Input: Sendable, Hashable {
            /// The device, if the engine itself has to select it (macOS); `nil` if the session does.
            var device: String?
            var isProcessed: Bool
        }

        var input: Input?
        var hasOutput: Bool
    }

    enum Step: Sendable, Hashable {
        case prepareSession
        case setActive(Bool)
        case preferInput(String?)
        case build(Form)
        case start
        case stop
        /// Release the engine.
        case release
        case tell(Client, CaptureEvent)
        /// Notify all clients.
        case notifyAll(EngineNotice)
        /// Report the number as ``Event/waited(_:)`` after this many seconds.
        case wait(Int, seconds: Double)
    }

    enum Event: Sendable, Hashable {
        case recorderAdded(Client, Recorder)
        case recorderRemoved(Client)
        case playerAdded(Client)
        case playerRemoved(Client)
        /// The owner of the session has activated or deactivated it.
        case mayRun(Bool)
        case engine(EngineEvent)
        case waited(Int)
    }

    private struct Built {
        var form: Form
        var route: EngineRoute
    }

    private enum Session {
        case unknown, prepared, active
    }

    /// Whether a microphone is chosen as the session's preferred input (iOS), and not as the engine's device (macOS).
    private let prefersInputs: Bool

    // The requests.
    private var recorders: [(client: Client, request: Recorder)] = []
    private var players: Set<Client> = []
    /// `nil` while the engine manages the session itself.
    private var mayRun: Bool?

    // The current state.
    private var session = Session.unknown
    private var preferred: String?
    /// Whether the preferred input has to be set again: a port that was unplugged and is back is not preferred any
    /// more.
    private var needsPreferredInput = false
    private var built: Built?
    private var isRunning = false
    private var isStale = false
    private var isInterrupted = false
    private var isLost = false

    /// Keeps the input for a moment after the last recorder has gone, so that a change of microphones does not rebuild
    /// the engine.
    private var keepsInput = false
    /// The engine runs without a microphone, or not at all, until something changes.
    private var isWithoutInput = false
    private var isBlocked = false
    private var failedRoute: EngineRoute?
    private var failures = 0
    private var waitNumber = 0
    /// The route that was reported last, while there is an engine.
    private(set) var reportedRoute: EngineRoute?
    private var pendingSteps: [Step] = []

    init(prefersInputs: Bool) { self.prefersInputs = prefersInputs }

    // MARK: Events

    /// - Parameter route: The system's current route.
    mutating func handle(_ event: Event, _ route: EngineRoute) {
        switch event {
        case .recorderAdded(let client, let request):
            recorders.append((client, request))
            (keepsInput, isWithoutInput, isBlocked, needsPreferredInput) = (false, false, false, true)
            if isInterrupted || isLost { pendingSteps.append(.tell(client, Self.interruption)) }
        case .recorderRemoved(let client):
            recorders.removeAll { $0.client == client }
            if recorders.isEmpty, !players.isEmpty, built?.form.input != nil {
                keepsInput = true
                wait(seconds: 1)
            }
        case .playerAdded(let client):
            players.insert(client)
            isBlocked = false
        case .playerRemoved(let client): players.remove(client)
        case .mayRun(let may):
            mayRun = may
            session = .unknown
            // The session's owner has activated it again, so the end of the interruption may not be reported.
            if may { endInterruption() }
            tryAgain()
        case .engine(let event): handle(event, route)
        case .waited(let number):
            guard number == waitNumber else { return }
            keepsInput = false
            tryAgain()
        }
        if recorders.isEmpty, players.isEmpty { keepsInput = false }
    }

    private mutating func handle(_ event: EngineEvent, _ route: EngineRoute) {
        switch event {
        case .configurationChanged:
            isRunning = false
            compare(route)
            reportLatency(route)
        case .routeChanged:
            compare(route)
            reportLatency(route)
        case .interrupted:
            (isRunning, session) = (false, .unknown)
            guard !isInterrupted else { return }
            isInterrupted = true
            if !isLost { notifyInterruption(true) }
        case .interruptionEnded, .enteredForeground: endInterruption()
        case .servicesLost:
            isRunning = false
            guard !isLost else { return }
            isLost = true
            if !isInterrupted { notifyInterruption(true) }
        case .servicesReset:
            let wasSilent = isLost || isInterrupted
            (isLost, isInterrupted, isRunning, isStale) = (false, false, false, built != nil)
            (session, preferred, needsPreferredInput) = (.unknown, nil, true)
            if wasSilent { notifyInterruption(false) }
            tryAgain()
        }
    }

    /// Compares the route with the one that the engine was built for; a change is a reason to retry after a failure.
    private mutating func compare(_ route: EngineRoute) {
        if route != failedRoute { tryAgain() }
        guard let built else { return }
        let input = built.form.input == nil || built.route.inputRate == route.inputRate
        let output = !built.form.hasOutput || built.route.outputRate == route.outputRate
        if !input || !output { isStale = true }
        guard built.form.input != nil, route.inputRate <= 0 else { return }
        // A microphone is being connected, or there is none: connecting it to the engine would raise an exception.
        (isWithoutInput, failedRoute) = (true, route)
        wait(seconds: 1)
    }

    /// A route of the same rates needs no other engine, but may have another latency: a Bluetooth headset's is long.
    private mutating func reportLatency(_ route: EngineRoute) {
        guard let built, !isStale, route != reportedRoute, route.outputRate > 0 || !built.form.hasOutput else { return }
        reportedRoute = route
        pendingSteps.append(.notifyAll(.route(route)))
    }

    private mutating func endInterruption() {
        guard isInterrupted else { return }
        isInterrupted = false
        if !isLost { notifyInterruption(false) }
        tryAgain()
    }

    private mutating func tryAgain() { (isWithoutInput, isBlocked, failedRoute) = (false, false, nil) }

    // MARK: Effects

    /// Returns the next step, whose result is reported with ``stepCompleted(_:_:_:)``; `nil` when nothing is left to do.
    mutating func next() -> Step? {
        if !pendingSteps.isEmpty { return pendingSteps.removeFirst() }
        guard let form = wantedForm, !isLost, !isInterrupted, mayRun ?? true else { return stepTowardsIdle }
        if let built, isStale || built.form != form { return isRunning ? .stop : .release }
        guard !isBlocked else { return nil }
        if session == .unknown { return .prepareSession }
        if mayRun == nil, session != .active { return .setActive(true) }
        // A preferred input can be set only in an active session.
        if needsPreferredInput, prefersInputs, form.input != nil, let request = recorders.last?.request,
            request.device != nil || preferred != nil
        {
            return .preferInput(request.device)
        }
        if built == nil { return .build(form) }
        return isRunning ? nil : .start
    }

    private var stepTowardsIdle: Step? {
        if isRunning { return .stop }
        if built != nil { return .release }
        // A session can be deactivated only while the engine is stopped.
        let isIdle = recorders.isEmpty && players.isEmpty
        return isIdle && session == .active && !isLost ? .setActive(false) : nil
    }

    private var wantedForm: Form? {
        var input: Form.Input?
        if !isWithoutInput, let last = recorders.last?.request {
            input = Form.Input(
                device: prefersInputs ? nil : last.device,
                isProcessed: recorders.contains { $0.request.processing != .none })
        } else if !isWithoutInput, keepsInput {
            input = built?.form.input
        }
        let isWanted = input != nil || !players.isEmpty
        guard isWanted else { return nil }
        // Echo cancellation needs the output. An existing output is not removed during a recording.
        let isInUse = input?.isProcessed == true || built?.form.hasOutput == true
        return Form(input: input, hasOutput: !players.isEmpty || isInUse)
    }

    /// Handles the result of a step.
    ///
    /// - Parameter route: The system's route after the step.
    mutating func stepCompleted(_ step: Step, _ result: Result<Void, DeviceError>, _ route: EngineRoute) {
        switch (step, result) {
        case (.prepareSession, .success): session = .prepared
        case (.setActive(true), .success): session = .active
        case (.setActive(false), _): session = .unknown
        case (.preferInput(let device), .success): (preferred, needsPreferredInput) = (device, false)
        case (.preferInput(let device), .failure(let error)):
            // The other recorders may still get their devices.
            needsPreferredInput = false
            drop(error) { $0.device == device }
        case (.build(let form), .success):
            (built, isStale) = (Built(form: form, route: route), false)
            if reportedRoute != route { pendingSteps.append(.notifyAll(.route(route))) }
            reportedRoute = route
        case (.start, .success):
            isRunning = true
            if !isWithoutInput { failures = 0 }
        case (.stop, _): isRunning = false
        case (.release, _):
            // Another owner may have changed the session before the next engine is built.
            (built, isRunning, isStale, reportedRoute) = (nil, false, false, nil)
            if session == .prepared { session = .unknown }
        case (.prepareSession, .failure(let error)), (.setActive, .failure(let error)), (.build, .failure(let error)),
            (.start, .failure(let error)):
            fail(error, step, route)
        case (.tell, _), (.notifyAll, _), (.wait, _): break
        }
    }

    private mutating func fail(_ error: DeviceError, _ step: Step, _ route: EngineRoute) {
        let hadInput = wantedForm?.input != nil
        drop(error) { _ in true }
        failedRoute = route
        // Plays without a microphone, in case the microphone is the cause.
        if hadInput { isWithoutInput = true } else { isBlocked = true }
        if players.isEmpty { isBlocked = true }
        if !recorders.isEmpty || !players.isEmpty {
            wait(seconds: Double(1 << min(failures, 5)))
            failures += 1
        }
    }

    /// Reports an error to all matching recorders, and removes those that are not patient.
    private mutating func drop(_ error: DeviceError, where isMeant: (Recorder) -> Bool) {
        for (client, request) in recorders where isMeant(request) { pendingSteps.append(.tell(client, .failed(error))) }
        recorders.removeAll { isMeant($0.request) && !$0.request.staysAttached }
    }

    private mutating func wait(seconds: Double) {
        waitNumber += 1
        pendingSteps.append(.wait(waitNumber, seconds: seconds))
    }

    private static let interruption = CaptureEvent.interrupted("a telephone call or another app has the microphone")

    private mutating func notifyInterruption(_ begins: Bool) {
        let event = begins ? Self.interruption : .resumed
        pendingSteps += recorders.map { .tell($0.client, event) } + [.notifyAll(begins ? .interrupted : .resumed)]
    }
}
