import Testing

@testable import RTCDevices

/// Random plugging, unplugging, choices and recordings, with the rules checked after each step against a model that is written
/// down another way: a list of what happened.
@Suite("The rules of camera choice hold whatever happens")
struct CameraChoiceModelTests {
    private enum Wish: Equatable {
        case plugged(DeviceID, Int)
        case chosen(DeviceID)
    }

    /// What is known from the outside.
    private struct Model {
        var connected: [MediaDevice] = []
        /// Choices and pluggings, the latest last.
        var wishes: [Wish] = []
        var isRecording = false
        var instance = 100
        /// What the platform prefers, if it has said so since the last choice.
        var platform: DeviceID?

        var preferred: MediaDevice? {
            if let platform, let camera = connected.first(where: { $0.id == platform }) { return camera }
            for wish in wishes.reversed() {
                switch wish {
                case .plugged(let id, let instance):
                    if let camera = connected.first(where: { $0.id == id && $0.instance == instance }) { return camera }
                case .chosen(let id):
                    if let camera = connected.first(where: { $0.id == id }) { return camera }
                    // What was plugged in before a choice does not come back when the chosen one goes.
                    return latestChoice
                }
            }
            return latestChoice
        }

        mutating func choose(_ camera: MediaDevice) {
            wishes.append(.chosen(camera.id))
            platform = nil
        }

        var latestChoice: MediaDevice? {
            for case .chosen(let id) in wishes.reversed() {
                if let camera = connected.first(where: { $0.id == id }) { return camera }
            }
            return nil
        }
    }

    private static let all = [
        Cameras.front, Cameras.back, Cameras.display, Cameras.webcam, Cameras.film,
    ]

    @Test(
        "Random steps",
        arguments: [CameraPolicy.call, .scanner, .browser, .camera, CameraPolicy(), CameraPolicy(mode: .manual)])
    func random(_ policy: CameraPolicy) {
        for seed in 0..<30 {
            var random = SplitMix(seed: UInt64(seed))
            var model = Model(connected: Self.all.filter { _ in Bool.random(using: &random) })
            var choice = CameraChoice(policy: policy)
            choice.update(model.connected)
            var before = choice
            for step in 0..<200 {
                let what = Self.step(&model, &choice, &random)
                if let failure = Self.broken(choice, before, model, what) {
                    Issue.record("seed \(seed), step \(step), \(what): \(failure)")
                    return
                }
                before = choice
            }
        }
    }

    private enum Step: Equatable {
        case plug, unplug, choose, button, beginRecording, endRecording, begin, stream, prefer, restart
    }

    private static func step(_ model: inout Model, _ choice: inout CameraChoice, _ random: inout SplitMix) -> Step {
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1, 2:
            let absent = all.filter { one in !model.connected.contains { $0.id == one.id } }
            guard let camera = absent.randomElement(using: &random) else { return .plug }
            model.instance += 1
            model.connected.append(camera.again(model.instance))
            if camera.kind == .external { model.wishes.append(.plugged(camera.id, model.instance)) }
            choice.update(model.connected)
            return .plug
        case 3, 4, 5:
            guard let index = model.connected.indices.randomElement(using: &random) else { return .unplug }
            model.connected.remove(at: index)
            choice.update(model.connected)
            return .unplug
        case 6, 7:
            guard let camera = model.connected.randomElement(using: &random) else { return .choose }
            model.choose(camera)
            choice.choose(camera.id)
            return .choose
        case 8:
            if let camera = choice.switchCamera() { model.choose(camera) }
            return .button
        case 9:
            choice.beginRecording()
            model.isRecording = true
            return .beginRecording
        case 10:
            choice.endRecording()
            model.isRecording = false
            return .endRecording
        case 11:
            // Also one that is not there, or none.
            model.platform = all.randomElement(using: &random).flatMap { $0.kind == .virtual ? nil : $0.id }
            choice.setPlatformPreferred(model.platform)
            return .prefer
        case 12:
            restart(&model, &choice, &random)
            return .restart
        default:
            if Bool.random(using: &random) {
                choice.noteStreaming()
                return .stream
            }
            choice.begin()
            return .begin
        }
    }

    /// The system's service dies, and shows all again when it is back, one by one.
    private static func restart(_ model: inout Model, _ choice: inout CameraChoice, _ random: inout SplitMix) {
        let before = model.connected
        choice.update([])
        model.connected = []
        for camera in before.shuffled(using: &random) {
            model.instance += 1
            model.connected.append(camera.returned(model.instance))
            // To be back is no wish, and takes none away.
            model.wishes = model.wishes.map { wish in
                wish == .plugged(camera.id, camera.instance) ? .plugged(camera.id, model.instance) : wish
            }
            choice.update(model.connected)
        }
    }

    /// - Returns: The rule that is broken.
    private static func broken(
        _ choice: CameraChoice, _ before: CameraChoice, _ model: Model, _ step: Step
    ) -> String? {
        guard choice.cameras == model.connected else { return "it knows of other cameras" }
        guard (choice.current == nil) == model.connected.isEmpty else { return "a camera is used if there is one" }
        if let current = choice.current, !model.connected.contains(current) { return "uses one that is not connected" }
        if step == .restart, choice.history != before.history { return "a restarted service changed the history" }
        if model.isRecording, let old = before.current, model.connected.contains(old), choice.current != old {
            return "switched in the middle of a recording"
        }
        if let preferred = model.preferred, choice.systemPreferred != preferred {
            return "the system prefers \(choice.systemPreferred?.id ?? "none") and not \(preferred.id)"
        }
        if let chosen = model.latestChoice, choice.userPreferred != chosen { return "not the latest choice" }
        guard choice.list.count == model.connected.count, choice.list.first == choice.systemPreferred else {
            return "the list is not all cameras, the preferred one first"
        }
        if !model.isRecording, choice.pending != nil { return "waits for a recording that there is not" }
        if !model.isRecording, step == .choose || step == .button, choice.current != choice.userPreferred {
            return "does not use what was just chosen"
        }
        if step == .button, let failure = brokenByButton(choice, before) { return failure }
        if choice.policy.switchButton == .never, choice.showsSwitchButton { return "shows a button" }
        if choice.showsSwitchButton, model.connected.count < 2 { return "shows a button for one camera" }
        if choice.history.chosen.count > CameraHistory.limit { return "the history is not short" }
        return brokenByPolicy(choice, before, model, step)
    }

    private static func brokenByButton(_ choice: CameraChoice, _ before: CameraChoice) -> String? {
        guard before.current?.position == .back, let target = choice.userPreferred else { return nil }
        if before.cameras.contains(where: { $0.kind == .external }) {
            return target.kind == .external ? nil : "the button leaves an external camera out"
        }
        let hasFront = before.cameras.contains { $0.position == .front }
        return hasFront && target.position != .front ? "the button leaves the front camera out" : nil
    }

    private static func brokenByPolicy(
        _ choice: CameraChoice, _ before: CameraChoice, _ model: Model, _ step: Step
    ) -> String? {
        guard !model.isRecording, let current = choice.current else { return nil }
        if choice.policy.mode == .manual, step == .plug, let old = before.current, old != current {
            return "a manual app switched when a camera was plugged in"
        }
        if step == .begin, !choice.policy.beginsAt.isEmpty {
            let canBegin = model.connected.contains { choice.policy.beginsAt.contains($0.position) }
            if canBegin, !choice.policy.beginsAt.contains(current.position) { return "begins elsewhere" }
        }
        if choice.policy.mode == .automatic, choice.policy.beginsAt.isEmpty, current != choice.systemPreferred {
            return "an automatic app does not use what the system prefers"
        }
        if choice.policy == .call, current.kind == .external, choice.showsSwitchButton {
            return "a call shows the button while an external camera is used"
        }
        return nil
    }
}
