import RTCWire
import Testing

@testable import RTCDevices

/// Whatever happens to devices in whichever order, with each step checked against what an observer from outside knows.
@Suite("The rules of a feed hold whatever happens")
struct DeviceFeedModelTests {
    typealias Generation = DeviceFeedRules.Generation

    private enum Step: CaseIterable {
        case start, stop, reopen, plug, unplug, choose, unready, breakOrMend
        case interrupt, resume, fail, disconnect, oldEvent, deliver, deliverOld, wait, waitLong
        case carryOut, carryOutAgain, settle
    }

    private struct Model {
        var feed: FakeFeedDevices
        let canOpenWhileClosing: Bool
        var isStarted = false
        var starts = 0
        var instance = 100
        /// The openings whose device said that it has gone.
        var disconnected: Set<Generation> = []
        var closed: Set<Generation> = []
        /// The number of openings and starts when it was last said that there is no device.
        var lastNone: [Int] = []
    }

    @Test("Random steps", arguments: [true, false])
    func random(_ canOpenWhileClosing: Bool) {
        for media in MediaDevice.Media.allCases {
            for seed in 0..<150 {
                var random = SplitMix(seed: UInt64(seed))
                let devices = ["a", "b", "c"].map { MediaDevice.fake(DeviceID($0), media) }
                let feed = FakeFeedDevices(
                    devices.filter { _ in Bool.random(using: &random) }, canOpenWhileClosing: canOpenWhileClosing)
                var model = Model(feed: feed, canOpenWhileClosing: canOpenWhileClosing)
                for number in 0..<150 {
                    guard let step = Step.allCases.randomElement(using: &random) else { return }
                    let before = model
                    Self.take(step, devices, &model, &random)
                    if let failure = Self.broken(&model, before, step) ?? Self.brokenEvents(&model, before) {
                        Issue.record("\(media), seed \(seed), step \(number), \(step): \(failure)")
                        return
                    }
                }
                if let failure = Self.brokenEnd(&model) {
                    Issue.record("\(media), seed \(seed), at the end: \(failure)")
                    return
                }
            }
        }
    }

    // MARK: Steps

    private static func take(
        _ step: Step, _ devices: [MediaDevice], _ model: inout Model, _ random: inout SplitMix
    ) {
        let newest = model.feed.openings.last?.generation ?? 0
        switch step {
        case .start:
            model.isStarted = true
            model.starts += 1
            model.feed.handle(.start)
        case .stop:
            model.isStarted = false
            model.feed.handle(.stop)
        case .reopen: model.feed.handle(.reopen)
        case .plug, .unplug, .choose, .unready: change(step, devices, &model, &random)
        case .breakOrMend:
            guard let device = devices.randomElement(using: &random) else { return }
            model.feed.broken[device.id] = Bool.random(using: &random) ? DeviceError(.busy, "busy") : nil
        case .interrupt: model.feed.handle(.event(.interrupted("busy"), newest))
        case .resume: model.feed.handle(.event(.resumed, newest))
        case .fail: model.feed.handle(.event(.failed(DeviceError(.failed, "broken")), newest))
        case .disconnect:
            model.disconnected.insert(newest)
            model.feed.handle(.event(.disconnected, newest))
        case .oldEvent: model.feed.handle(.event(.failed(DeviceError(.failed, "old")), newest - 1))
        case .deliver: model.feed.deliver()
        case .deliverOld: model.feed.deliver(newest - 1)
        case .wait: wait(.milliseconds(700), &model)
        case .waitLong: wait(.seconds(6), &model)
        case .carryOut, .carryOutAgain:
            // What runs in tasks of its own ends in any order.
            guard let decision = model.feed.waiting.randomElement(using: &random) else { return }
            model.feed.carryOut { $0 == decision }
        case .settle: model.feed.settle()
        }
    }

    private static func change(
        _ step: Step, _ devices: [MediaDevice], _ model: inout Model, _ random: inout SplitMix
    ) {
        var candidates = model.feed.candidates
        switch step {
        case .plug:
            let absent = devices.filter { device in !candidates.contains { $0.id == device.id } }
            guard let device = absent.randomElement(using: &random) else { return }
            model.instance += 1
            candidates.insert(device.again(model.instance), at: Int.random(in: 0...candidates.count, using: &random))
        case .unplug:
            guard let index = candidates.indices.randomElement(using: &random) else { return }
            candidates.remove(at: index)
        case .choose: candidates.shuffle(using: &random)
        default:
            guard let index = candidates.indices.randomElement(using: &random) else { return }
            candidates[index].isReady.toggle()
        }
        model.feed.candidates = candidates
        model.feed.handle(.candidatesChanged)
    }

    /// As a timer does: what it leads to is carried out later.
    private static func wait(_ time: TimeDelta, _ model: inout Model) {
        model.feed.now += time
        if let deadline = model.feed.rules.nextDeadline, deadline <= model.feed.now {
            model.feed.handle(.timePassed(isPaused: false))
        }
    }

    // MARK: Rules

    /// - Returns: The rule that is broken.
    private static func broken(_ model: inout Model, _ before: Model, _ step: Step) -> String? {
        let (feed, old) = (model.feed, before.feed)
        let openings = feed.openings.map(\.generation)
        guard openings == openings.indices.map({ $0 + 1 }) else { return "openings are not numbered" }
        for case .close(let generation) in feed.waiting where !old.waiting.contains(.close(generation)) {
            guard model.closed.insert(generation).inserted else { return "closes \(generation) twice" }
            guard feed.open[generation] != nil else { return "closes \(generation), which is not open" }
            if feed.waiting.contains(.startCapture(generation)) { return "closes \(generation) before it starts" }
        }
        let opening = feed.waiting.filter { if case .open = $0 { true } else { false } }
        if !model.canOpenWhileClosing, feed.mostOpen > 1 || feed.open.count + opening.count > 1 {
            return "two are open"
        }
        let held = feed.open.filter { generation, device in
            let isThere = feed.candidates.contains { $0.isSameInstance(as: device) }
            return isThere && !model.disconnected.contains(generation)
        }
        guard Set(held.values.map(\.id)).count == held.count else { return "the same device is open twice" }
        guard feed.waiting.count(where: { $0 == .proceed }) <= 1 else { return "has decided twice to go on" }
        // Nothing is passed on but what the device in use delivers.
        var rules = feed.rules
        for generation in max(0, openings.count - 3)...(openings.count + 1) {
            let passes = rules.passes(generation, capturedAt: feed.now)
            guard passes == (model.isStarted && generation == rules.open) else { return "\(generation) passes" }
        }
        return brokenUse(model, before, step)
    }

    /// A working device is kept, unless something happens to it or another one is preferred.
    private static func brokenUse(_ model: Model, _ before: Model, _ step: Step) -> String? {
        let (feed, old) = (model.feed, before.feed)
        if let device = feed.rules.device {
            guard model.isStarted else { return "uses one while it is stopped" }
            guard old.rules.device != nil || step == .deliver else { return "uses \(device.id), which gave nothing" }
        }
        guard let device = old.rules.device, feed.rules.device?.isSameInstance(as: device) != true else { return nil }
        switch step {
        // Started again, it has forgotten the failures of the devices before this one.
        case .start, .stop, .reopen, .fail, .disconnect: return nil
        case .plug, .unplug, .choose, .unready:
            let isThere = feed.candidates.contains { $0.isSameInstance(as: device) }
            let isFirst = feed.candidates.first?.isSameInstance(as: device) == true
            return isThere && isFirst ? "gave up the preferred device, which works" : nil
        default: return "gave up \(device.id), which works"
        }
    }

    /// The events are those of the devices in use, in the order of their openings.
    private static func brokenEvents(_ model: inout Model, _ before: Model) -> String? {
        let news = model.feed.events.dropFirst(before.feed.events.count)
        if !before.isStarted, !model.isStarted, !news.isEmpty { return "reports \(news) while it is stopped" }
        var used = model.feed.openings.dropFirst(before.feed.openings.count).map(\.device)
        if let device = before.feed.rules.target { used.insert(device, at: 0) }
        for event in news {
            switch event {
            case .using(let device), .lost(let device), .failed(let device, _), .interrupted(let device, _),
                .resumed(let device):
                guard let index = used.firstIndex(where: device.isSameInstance) else {
                    return "\(event) is of a device that is not in use any more"
                }
                used.removeFirst(index)
            case .none:
                guard model.feed.rules.target == nil else { return "says that there is none, and uses one" }
                let now = [model.feed.openings.count, model.starts]
                guard model.lastNone != now else { return "says twice that there is none" }
                model.lastNone = now
            case .turned: return "no rule turns anything"
            }
        }
        return nil
    }

    /// In the end all works: the feed delivers if there is a device, and after it is stopped nothing is open.
    private static func brokenEnd(_ model: inout Model) -> String? {
        model.feed.broken = [:]
        model.feed.handle(.start)
        model.feed.settle()
        for _ in 0..<200 {
            model.feed.deliver()
            model.feed.tell(.resumed)
            model.feed.pass(.seconds(1))
        }
        let hasDevice = !model.feed.candidates.isEmpty
        guard (model.feed.rules.device != nil) == hasDevice else { return "delivers nothing" }
        guard model.feed.open.count == (hasDevice ? 1 : 0), model.feed.rules.isSettled else { return "is not settled" }
        guard model.feed.rules.nextDeadline == nil else { return "a timer runs" }
        model.feed.handle(.stop)
        model.feed.settle()
        return model.feed.open.isEmpty && model.feed.rules.isSettled ? nil : "something is open after it was stopped"
    }
}
