import RTCWire

@testable import RTCDevices

/// The rules of a feed with devices that do what a test says, in virtual time.
struct FakeFeedDevices {
    typealias Generation = DeviceFeedRules.Generation

    struct Opening: Equatable {
        let device: MediaDevice
        let generation: Generation
        let at: Instant
    }

    var rules: DeviceFeedRules
    var now = Instant.zero + .seconds(1_000)
    /// The connected devices, the preferred one first.
    var candidates: [MediaDevice]
    /// Devices that cannot be opened.
    var broken: [DeviceID: DeviceError] = [:]
    /// Whether the app itself keeps the open device from delivering anything.
    var isPaused = false

    private(set) var events: [DeviceFeedEvent] = []
    private(set) var openings: [Opening] = []
    /// What the rules have decided and nobody has carried out yet.
    private(set) var waiting: [DeviceFeedRules.Decision] = []
    /// The devices that are open, with the number of their opening.
    private(set) var open: [Generation: MediaDevice] = [:]
    private(set) var mostOpen = 0

    init(_ candidates: [MediaDevice], canOpenWhileClosing: Bool = true) {
        rules = DeviceFeedRules(canOpenWhileClosing: canOpenWhileClosing)
        self.candidates = candidates
    }

    mutating func handle(_ input: DeviceFeedRules.Input) {
        rules.handle(input, candidates: candidates, at: now)
        takeDecisions()
    }

    private mutating func takeDecisions() {
        for decision in rules.takeDecisions() {
            if case .report(let event) = decision { events.append(event) } else { waiting.append(decision) }
            if case .open(let device, let generation) = decision {
                openings.append(Opening(device: device, generation: generation, at: now))
            }
        }
    }

    /// Carries out what was decided first, or what `isNext` picks.
    mutating func carryOut(where isNext: (DeviceFeedRules.Decision) -> Bool = { _ in true }) {
        guard let index = waiting.firstIndex(where: isNext) else { return }
        switch waiting.remove(at: index) {
        case .proceed: handle(.proceed)
        case .open(let device, let generation):
            if let error = broken[device.id] { return handle(.openingFailed(generation, error)) }
            open[generation] = device
            mostOpen = max(mostOpen, open.count)
            handle(.opened(generation))
        case .startCapture(let generation): handle(.captureStarted(generation))
        case .close(let generation):
            open[generation] = nil
            handle(.closed(generation))
        case .report: break
        }
    }

    mutating func settle() { while !waiting.isEmpty { carryOut() } }

    mutating func start() {
        handle(.start)
        settle()
    }

    mutating func connect(_ devices: [MediaDevice]) {
        candidates = devices
        handle(.candidatesChanged)
        settle()
    }

    /// Lets a time pass; timers run, and what they lead to is carried out.
    mutating func pass(_ time: TimeDelta) {
        let end = now + time
        while let deadline = rules.nextDeadline, deadline <= end {
            now = max(now, deadline)
            handle(.timePassed(isPaused: isPaused))
            settle()
        }
        now = end
    }

    /// Something is captured now, or was a while ago, by the newest opening or another one.
    ///
    /// - Returns: Whether it is passed on.
    @discardableResult
    mutating func deliver(_ generation: Generation? = nil, age: TimeDelta = .zero) -> Bool {
        let passes = rules.passes(generation ?? openings.last?.generation ?? 0, capturedAt: now - age)
        takeDecisions()
        return passes
    }

    mutating func tell(_ event: CaptureEvent) {
        handle(.event(event, openings.last?.generation ?? 0))
        settle()
    }
}

extension MediaDevice {
    static func fake(_ name: DeviceID, _ media: Media = .camera, instance: Int = 1) -> MediaDevice {
        MediaDevice(id: name, instance: instance, media: media, name: name.rawValue)
    }
}
