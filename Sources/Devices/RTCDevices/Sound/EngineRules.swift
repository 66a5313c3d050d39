/// Decides what the one audio engine of a process does: a value that is told what is wanted and what happens, and asked for the next
/// step until there is none.
///
/// A process has one engine with voice processing; the system ducks every other one. Everybody who records or plays attaches to it.
/// An engine stops by itself when the route changes, and its connections keep the old rate: with another one it is built anew. It
/// cannot start while somebody else has the microphone, nor before whoever owns the audio session has activated it.
struct EngineRules: Sendable {
    typealias Client = Int

    /// What one client wants of the microphone.
    struct Recorder: Sendable, Hashable {
        /// The system's name of the device; `nil` for the one that the system chooses.
        var device: String?
        var processing = VoiceProcessing.call
        /// Whether the client stays when the microphone fails, and gets sound again when that works again.
        var isPatient = false
    }

    /// What an engine is built for.
    struct Form: Sendable, Hashable {
        struct Input: Sendable, Hashable {
            /// Where the engine itself is told its device (macOS); `nil` where the session chooses.
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
        /// Let go of the engine.
        case release
        case tell(Client, CaptureEvent)
        /// Something that concerns everybody.
        case tellAll(EngineNotice)
        /// Report the number as ``Event/waited(_:)`` after so many seconds.
        case wait(Int, seconds: Double)
    }

    enum Event: Sendable, Hashable {
        case recorderCame(Client, Recorder)
        case recorderWent(Client)
        case playerCame(Client)
        case playerWent(Client)
        /// Whoever owns the session has activated it, or has not.
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

    /// Whether a preferred input is how a microphone is chosen (iOS), and not a device of the engine (macOS).
    private let prefersInputs: Bool

    // What is wanted.
    private var recorders: [(client: Client, request: Recorder)] = []
    private var players: Set<Client> = []
    /// `nil` while nobody but this has to do with the session.
    private var mayRun: Bool?

    // What is.
    private var session = Session.unknown
    private var preferred: String?
    /// A port that was pulled out and is back is not preferred any more.
    private var hasToPrefer = false
    private var built: Built?
    private var isRunning = false
    private var isStale = false
    private var isInterrupted = false
    private var isLost = false

    /// The input stays for a moment after the last recorder has gone, so that a change of microphones is no change of engines.
    private var lingers = false
    /// The engine runs without a microphone, or does not run, until something is different.
    private var isWithoutInput = false
    private var isBlocked = false
    private var failedRoute: EngineRoute?
    private var failures = 0
    private var waitNumber = 0
    private var toldRoute: EngineRoute?
    private var news: [Step] = []

    init(prefersInputs: Bool) { self.prefersInputs = prefersInputs }

    // MARK: Events

    /// - Parameter route: The system's at this moment.
    mutating func hear(_ event: Event, _ route: EngineRoute) {
        switch event {
        case .recorderCame(let client, let request):
            recorders.append((client, request))
            (lingers, isWithoutInput, isBlocked, hasToPrefer) = (false, false, false, true)
            if isInterrupted || isLost { news.append(.tell(client, Self.interruption)) }
        case .recorderWent(let client):
            recorders.removeAll { $0.client == client }
            if recorders.isEmpty, !players.isEmpty, built?.form.input != nil {
                lingers = true
                wait(seconds: 1)
            }
        case .playerCame(let client):
            players.insert(client)
            isBlocked = false
        case .playerWent(let client): players.remove(client)
        case .mayRun(let may):
            mayRun = may
            session = .unknown
            // Whoever has it now has been given it: no end of an interruption has to come.
            if may { endInterruption() }
            tryAgain()
        case .engine(let event): hear(event, route)
        case .waited(let number):
            guard number == waitNumber else { return }
            lingers = false
            tryAgain()
        }
        if recorders.isEmpty, players.isEmpty { lingers = false }
    }

    private mutating func hear(_ event: EngineEvent, _ route: EngineRoute) {
        switch event {
        case .configurationChanged:
            isRunning = false
            compare(route)
        case .routeChanged: compare(route)
        case .interrupted:
            (isRunning, session) = (false, .unknown)
            guard !isInterrupted else { return }
            isInterrupted = true
            if !isLost { tellInterruption(true) }
        case .interruptionEnded, .cameToFront: endInterruption()
        case .servicesLost:
            isRunning = false
            guard !isLost else { return }
            isLost = true
            if !isInterrupted { tellInterruption(true) }
        case .servicesReset:
            let wasSilent = isLost || isInterrupted
            (isLost, isInterrupted, isRunning, isStale) = (false, false, false, built != nil)
            (session, preferred, hasToPrefer) = (.unknown, nil, true)
            if wasSilent { tellInterruption(false) }
            tryAgain()
        }
    }

    /// The engine has another route than the one it was built for, or a reason to try again what has failed.
    private mutating func compare(_ route: EngineRoute) {
        if route != failedRoute { tryAgain() }
        guard let built else { return }
        let input = built.form.input == nil || built.route.inputRate == route.inputRate
        let output = !built.form.hasOutput || built.route.outputRate == route.outputRate
        if !input || !output { isStale = true }
        guard built.form.input != nil, route.inputRate <= 0 else { return }
        // A microphone is on its way, or there is none: connecting it would raise an exception.
        (isWithoutInput, failedRoute) = (true, route)
        wait(seconds: 1)
    }

    private mutating func endInterruption() {
        guard isInterrupted else { return }
        isInterrupted = false
        if !isLost { tellInterruption(false) }
        tryAgain()
    }

    private mutating func tryAgain() { (isWithoutInput, isBlocked, failedRoute) = (false, false, nil) }

    // MARK: Effects

    /// The next step to carry out, whose result is told by ``did(_:_:)``; `nil` when everything is as it should be.
    mutating func next() -> Step? {
        if !news.isEmpty { return news.removeFirst() }
        guard let form = wantedForm, !isLost, !isInterrupted, mayRun ?? true else { return stepToRest }
        if let built, isStale || built.form != form { return isRunning ? .stop : .release }
        guard !isBlocked else { return nil }
        if session == .unknown { return .prepareSession }
        if mayRun == nil, session != .active { return .setActive(true) }
        // Only an active session takes a preferred input.
        if hasToPrefer, prefersInputs, form.input != nil, let request = recorders.last?.request,
            request.device != nil || preferred != nil
        {
            return .preferInput(request.device)
        }
        if built == nil { return .build(form) }
        return isRunning ? nil : .start
    }

    private var stepToRest: Step? {
        if isRunning { return .stop }
        if built != nil { return .release }
        // Only an engine that stands still lets its session go.
        let isIdle = recorders.isEmpty && players.isEmpty
        return isIdle && session == .active && !isLost ? .setActive(false) : nil
    }

    private var wantedForm: Form? {
        var input: Form.Input?
        if !isWithoutInput, let last = recorders.last?.request {
            input = Form.Input(
                device: prefersInputs ? nil : last.device,
                isProcessed: recorders.contains { $0.request.processing != .none })
        } else if !isWithoutInput, lingers {
            input = built?.form.input
        }
        let isWanted = input != nil || !players.isEmpty
        guard isWanted else { return nil }
        // Echo is what the output plays. An output that is there already does not go in the middle of a recording.
        let isInUse = input?.isProcessed == true || built?.form.hasOutput == true
        return Form(input: input, hasOutput: !players.isEmpty || isInUse)
    }

    /// What came of a step.
    ///
    /// - Parameter route: The system's after it.
    mutating func did(_ step: Step, _ result: Result<Void, DeviceError>, _ route: EngineRoute) {
        switch (step, result) {
        case (.prepareSession, .success): session = .prepared
        case (.setActive(true), .success): session = .active
        case (.setActive(false), _): session = .unknown
        case (.preferInput(let device), .success): (preferred, hasToPrefer) = (device, false)
        case (.preferInput(let device), .failure(let error)):
            // The others may still have what they want.
            hasToPrefer = false
            drop(error) { $0.device == device }
        case (.build(let form), .success):
            (built, isStale) = (Built(form: form, route: route), false)
            if toldRoute != route { news.append(.tellAll(.route(route))) }
            toldRoute = route
        case (.start, .success):
            isRunning = true
            if !isWithoutInput { failures = 0 }
        case (.stop, _): isRunning = false
        case (.release, _):
            // The session may be another's by the time of the next engine.
            (built, isRunning, isStale) = (nil, false, false)
            if session == .prepared { session = .unknown }
        case (.prepareSession, .failure(let error)), (.setActive, .failure(let error)), (.build, .failure(let error)),
            (.start, .failure(let error)):
            fail(error, step, route)
        case (.tell, _), (.tellAll, _), (.wait, _): break
        }
    }

    private mutating func fail(_ error: DeviceError, _ step: Step, _ route: EngineRoute) {
        let hadInput = wantedForm?.input != nil
        drop(error) { _ in true }
        failedRoute = route
        // Others are heard without a microphone, if that is what is wrong.
        if hadInput { isWithoutInput = true } else { isBlocked = true }
        if players.isEmpty { isBlocked = true }
        if !recorders.isEmpty || !players.isEmpty {
            wait(seconds: Double(1 << min(failures, 5)))
            failures += 1
        }
    }

    /// Tells all whose request is like that, and forgets those who do not wait.
    private mutating func drop(_ error: DeviceError, where isMeant: (Recorder) -> Bool) {
        for (client, request) in recorders where isMeant(request) { news.append(.tell(client, .failed(error))) }
        recorders.removeAll { isMeant($0.request) && !$0.request.isPatient }
    }

    private mutating func wait(seconds: Double) {
        waitNumber += 1
        news.append(.wait(waitNumber, seconds: seconds))
    }

    private static let interruption = CaptureEvent.interrupted("a telephone call or another app has the microphone")

    private mutating func tellInterruption(_ begins: Bool) {
        let event = begins ? Self.interruption : .resumed
        news += recorders.map { .tell($0.client, event) } + [.tellAll(begins ? .interrupted : .resumed)]
    }
}
