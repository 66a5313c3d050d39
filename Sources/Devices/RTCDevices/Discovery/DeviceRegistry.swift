import RTCWire

/// Makes one list of devices of what several services see.
///
/// Two services see the same thing where they name the same hardware or, if one of them names none, the same stable identifier.
/// The thing has one entry then, which is opened by the first service in ``SeenDevice/Service``'s order.
///
/// When the service by which a device is opened loses it, it is gone at once; that others see it still for a moment does not
/// bring it back. If they see it after ``grace`` yet, it is a new instance, opened by them.
///
/// A service that sees nothing any more has died, or who makes its devices has, and most likely begins anew. What it sees again then
/// was plugged in by nobody: ``MediaDevice/isReturned`` says so, and it has its old place in the list.
struct DeviceRegistry {
    /// One thing: what is told of it, and who sees it.
    private struct Entry {
        var device: MediaDevice
        var keys: Set<Key>
        /// By which it is opened.
        var first: Key
        /// Counts those that came: its place in the list.
        var place: Int
    }

    private struct Key: Hashable {
        var service: SeenDevice.Service
        var handle: String

        init(_ service: SeenDevice.Service, _ handle: String) {
            self.service = service
            self.handle = handle
        }
        init(_ seen: SeenDevice) { self.init(seen.service, seen.handle) }
    }

    /// In the order in which they came.
    private var seen: [SeenDevice] = []
    private var entries: [Entry] = []
    /// Who still sees what another service has lost, and until when nothing is said of it.
    private var doubtful: [Key: Doubt] = [:]
    /// What a thing was called when it was first seen, by each of its stable identifiers.
    private var names: [Alias: DeviceID] = [:]
    private var instanceCount = 0
    private var absent = AbsentDevices()

    private struct Doubt {
        /// As the service had it that has lost it.
        var device: MediaDevice
        var place: Int
        var end: Instant
    }

    private struct Alias: Hashable {
        var media: MediaDevice.Media
        var id: String
    }

    /// How long a service may take longer than another one to see that a device is gone.
    static let grace = TimeDelta.milliseconds(500)
    /// More things than this are not looked at.
    static let limit = 256
    private static let formatLimit = 512
    /// More names than this are not remembered.
    private static let nameLimit = 4_096

    /// Built-in ones first, then as they came.
    var devices: [MediaDevice] {
        let all = entries.sorted { $0.place < $1.place }.map(\.device)
        return all.filter { $0.kind == .builtIn } + all.filter { $0.kind != .builtIn }
    }

    /// When ``advance(to:)`` is to be called, if nothing is reported before.
    var nextDeadline: Instant? { doubtful.values.map(\.end).min() }

    /// - Returns: What has changed for the one list: what is gone first.
    mutating func apply(_ report: DiscoveryReport, at now: Instant) -> [DeviceList.Change] {
        let before = seen
        switch report {
        case .snapshot(let all):
            let keys = Set(all.map { Key($0) })
            seen.removeAll { !keys.contains(Key($0)) }
            for one in all { note(one) }
        case .seen(let one):
            note(one)
        case .gone(let service, let handle):
            seen.removeAll { Key($0) == Key(service, handle) }
        case .lost:
            seen.removeAll()
        }
        if case .gone = report {} else { expectReturn(before: before, at: now) }
        return seen == before && nextDeadline == nil ? [] : update(at: now)
    }

    /// Lets the time pass.
    mutating func advance(to now: Instant) -> [DeviceList.Change] { update(at: now) }

    /// A thing that is pulled out goes alone; what goes with all the rest of its service has lost that.
    private mutating func expectReturn(before: [SeenDevice], at now: Instant) {
        let dead = Set(before.map(\.service)).subtracting(seen.map(\.service))
        for entry in entries where dead.contains(entry.first.service) {
            absent.expect(entry.device, place: entry.place, at: now)
        }
    }

    private mutating func note(_ one: SeenDevice) {
        guard !one.isInfrared, !one.isMonitor else {
            seen.removeAll { Key($0) == Key(one) }
            return
        }
        var one = one
        one.name = PrintableName.of(one.name)
        one.stableID = PrintableName.of(one.stableID)
        one.formats = Array(one.formats.prefix(Self.formatLimit))
        if let index = seen.firstIndex(where: { Key($0) == Key(one) }) {
            seen[index] = one
        } else if seen.count < Self.limit {
            seen.append(one)
        }
    }

    private mutating func update(at now: Instant) -> [DeviceList.Change] {
        let present = Set(seen.map { Key($0) })
        var removed: [MediaDevice] = []
        var rest: [Entry] = []
        for entry in entries {
            guard !present.contains(entry.first) else {
                rest.append(entry)
                continue
            }
            removed.append(entry.device)
            absent.noteLoss(of: entry.device, place: entry.place, by: entry.first.service, at: now)
            for key in entry.keys where present.contains(key) {
                doubtful[key] = Doubt(device: entry.device, place: entry.place, end: now + Self.grace)
            }
        }
        absent.judgeLosses(left: Set(rest.filter { $0.device.kind != .virtual }.map(\.first.service)), at: now)
        settleDoubts(present, besides: rest, at: now)
        entries = []
        var added: [MediaDevice] = []
        var changed: [MediaDevice] = []
        for group in groups() {
            let keys = Set(group.map { Key($0) })
            if let index = rest.firstIndex(where: { !$0.keys.isDisjoint(with: keys) }) {
                var entry = rest.remove(at: index)
                let before = entry.device
                entry.keys = keys
                entry.first = Key(group[0])
                describe(&entry.device, by: group)
                name(group, entry.device.id)
                if entry.device != before { changed.append(entry.device) }
                entries.append(entry)
            } else {
                let (device, place) = newDevice(group, besides: entries + rest, at: now)
                entries.append(Entry(device: device, keys: keys, first: Key(group[0]), place: place))
                added.append(device)
            }
        }
        removed += rest.map(\.device)
        return removed.map { .removed($0) } + changed.map { .changed($0) } + added.map { .added($0) }
    }

    private mutating func settleDoubts(_ present: Set<Key>, besides entries: [Entry], at now: Instant) {
        for (key, doubt) in doubtful where doubt.end <= now && present.contains(key) {
            // It is still there, unless it is there again by the service that lost it.
            let isBack = entries.contains { $0.device.media == doubt.device.media && $0.device.id == doubt.device.id }
            if !isBack { absent.expect(doubt.device, place: doubt.place, at: now) }
        }
        doubtful = doubtful.filter { present.contains($0.key) && $0.value.end > now }
    }

    /// Everything that is seen, by things, in the order in which things came; each begins with the service that opens it.
    private func groups() -> [[SeenDevice]] {
        var groups: [[SeenDevice]] = []
        for one in seen where doubtful[Key(one)] == nil {
            let index = groups.firstIndex { group in
                group.allSatisfy { $0.service != one.service } && group.contains { Self.isSame($0, one) }
            }
            if let index { groups[index].append(one) } else { groups.append([one]) }
        }
        return groups.map { $0.sorted { $0.service < $1.service } }
    }

    private static func isSame(_ one: SeenDevice, _ other: SeenDevice) -> Bool {
        guard one.media == other.media else { return false }
        if let mine = one.hardware, let theirs = other.hardware { return mine == theirs }
        return one.stableID == other.stableID
    }

    private mutating func newDevice(
        _ group: [SeenDevice], besides others: [Entry], at now: Instant
    ) -> (MediaDevice, place: Int) {
        let media = group[0].media
        let aliases = group.map { Alias(media: media, id: $0.stableID) }
        let taken = Set(others.filter { $0.device.media == media }.map(\.device.id))
        var id = aliases.lazy.compactMap { [names] in names[$0] }.first ?? DeviceID(group[0].stableID)
        if taken.contains(id) {
            // Two of one make, neither of which has a number of its own.
            let base = id.rawValue
            var number = 2
            while taken.contains(id) {
                id = DeviceID("\(base)#\(number)")
                number += 1
            }
        } else {
            name(group, id)
        }
        instanceCount += 1
        var device = MediaDevice(id: id, instance: instanceCount, media: media, name: "")
        describe(&device, by: group)
        let place = absent.takeBack(device, at: now)
        device.isReturned = place != nil
        return (device, place ?? instanceCount)
    }

    /// Remembers what a thing is called, by each name that a service has for it.
    private mutating func name(_ group: [SeenDevice], _ id: DeviceID) {
        if names.count > Self.nameLimit { names.removeAll() }
        for one in group {
            let alias = Alias(media: one.media, id: one.stableID)
            if names[alias] == nil { names[alias] = id }
        }
    }

    /// What the first service says counts, and what it does not know the others may.
    private func describe(_ device: inout MediaDevice, by group: [SeenDevice]) {
        let first = group[0]
        device.name = first.name
        device.kind = first.kind
        device.handle = first.handle
        device.isReady = first.isReady
        device.formats = first.formats
        device.controls = first.controls
        device.position = group.map(\.position).first { $0 != .unspecified } ?? .unspecified
        device.mounting = group.map(\.mounting).first { $0 != .none } ?? .none
        device.group = group.lazy.compactMap(\.group).first
    }
}

/// Names come from devices: they may hold anything, at any length.
enum PrintableName {
    private static let limit = 200

    /// At most 200 characters, on one line.
    static func of(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars.prefix(limit) {
            let isControl =
                scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
            scalars.append(isControl || scalar.properties.isWhitespace ? " " : scalar)
        }
        return String(scalars)
    }
}
