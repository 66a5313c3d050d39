import RTCWire

/// Merges the devices that several services report into one list.
///
/// Two services report the same device if they name the same hardware or, if one of them names none, the same stable
/// identifier. The device then has one entry, and is opened by the first service in the order of
/// ``SeenDevice/Service``.
///
/// A device is removed as soon as the service that opens it loses it, even if other services still report it for a
/// moment, or report it only now, since they are slower. If they still report it after ``grace``, it is a new instance,
/// opened by them.
///
/// A service that loses all its devices has ended, or the program that provides them has, and it probably restarts.
/// Nobody plugged in the devices that it then reports again: they have ``MediaDevice/isReturned``, and their old place
/// in the list.
struct DeviceRegistry {
    /// One device, and the services that report it.
    private struct Entry {
        var device: MediaDevice
        var reports: [SeenDevice]
        var keys: Set<Key> { Set(reports.map { Key($0) }) }
        /// The service that opens it.
        var first: Key { Key(reports[0]) }
        /// The number of devices that came before: its place in the list.
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

    /// In the order of arrival.
    private var seen: [SeenDevice] = []
    private var entries: [Entry] = []
    /// Reports of a device that its opening service has lost, each with the time until which it is ignored.
    private var doubtful: [Key: Doubt] = [:]
    /// Devices that were removed less than ``grace`` ago: a service that reports one for the first time may be late.
    private var departures: [Departure] = []
    /// The identifier of each device, by each of its stable identifiers.
    private var names: [Alias: DeviceID] = [:]
    private var instanceCount = 0
    private var absent = AbsentDevices()

    private struct Doubt {
        /// As reported by the service that lost it.
        var device: MediaDevice
        var place: Int
        var end: Instant
    }

    private struct Departure {
        var device: MediaDevice
        var place: Int
        /// As each service had reported it. Such a service has noticed the removal, or will, and is not late.
        var reports: [SeenDevice]
        var end: Instant

        /// Whether a report may be of this device's past.
        func mayBeMeant(by one: SeenDevice) -> Bool {
            reports.allSatisfy { $0.service != one.service } && reports.contains { DeviceRegistry.isSame($0, one) }
        }
    }

    private struct Alias: Hashable {
        var media: MediaDevice.Media
        var id: String
    }

    /// The longest delay with which another service notices that a device is gone.
    static let grace = TimeDelta.milliseconds(500)
    /// Further devices are ignored.
    static let limit = 256
    private static let formatLimit = 512
    /// The most identifiers that are remembered.
    private static let nameLimit = 4_096

    /// Built-in devices first, then in the order of arrival.
    var devices: [MediaDevice] {
        let all = entries.sorted { $0.place < $1.place }.map(\.device)
        return all.filter { $0.kind == .builtIn } + all.filter { $0.kind != .builtIn }
    }

    /// When ``advance(to:)`` has to be called, if nothing is reported before.
    var nextDeadline: Instant? { doubtful.values.map(\.end).min() }

    /// - Returns: The changes of the merged list, removals first.
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

    /// Applies the deadlines that have passed.
    mutating func advance(to now: Instant) -> [DeviceList.Change] { update(at: now) }

    /// Expects the devices of a service that has lost all of them to return: a person would unplug only one.
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
        doubtLateReports(at: now)
        var removed: [MediaDevice] = []
        var rest: [Entry] = []
        for entry in entries {
            guard !present.contains(entry.first) else {
                rest.append(entry)
                continue
            }
            removed.append(entry.device)
            absent.noteLoss(of: entry.device, place: entry.place, by: entry.first.service, at: now)
            let end = now + Self.grace
            for key in entry.keys where present.contains(key) {
                doubtful[key] = Doubt(device: entry.device, place: entry.place, end: end)
            }
            departures.append(
                Departure(device: entry.device, place: entry.place, reports: entry.reports, end: end))
        }
        absent.evaluateLosses(left: Set(rest.filter { $0.device.kind != .virtual }.map(\.first.service)), at: now)
        settleDoubts(present, besides: rest, at: now)
        entries = []
        var added: [MediaDevice] = []
        var changed: [MediaDevice] = []
        for group in groups() {
            let keys = Set(group.map { Key($0) })
            if let index = rest.firstIndex(where: { !$0.keys.isDisjoint(with: keys) }) {
                var entry = rest.remove(at: index)
                let before = entry.device
                entry.reports = group
                describe(&entry.device, by: group)
                name(group, entry.device.id)
                if entry.device != before { changed.append(entry.device) }
                entries.append(entry)
            } else {
                let (device, place) = newDevice(group, besides: entries + rest, at: now)
                entries.append(Entry(device: device, reports: group, place: place))
                added.append(device)
            }
        }
        removed += rest.map(\.device)
        return removed.map { .removed($0) } + changed.map { .changed($0) } + added.map { .added($0) }
    }

    /// Doubts what a service reports for the first time of a device that has just been removed.
    private mutating func doubtLateReports(at now: Instant) {
        departures.removeAll { $0.end <= now }
        departures.removeFirst(max(0, departures.count - Self.limit))
        guard !departures.isEmpty else { return }
        let known = entries.reduce(into: Set<Key>()) { $0.formUnion($1.keys) }
        for one in seen where !known.contains(Key(one)) && doubtful[Key(one)] == nil {
            guard let departure = departures.first(where: { $0.mayBeMeant(by: one) }) else { continue }
            doubtful[Key(one)] = Doubt(device: departure.device, place: departure.place, end: departure.end)
        }
    }

    private mutating func settleDoubts(_ present: Set<Key>, besides entries: [Entry], at now: Instant) {
        for (key, doubt) in doubtful where doubt.end <= now && present.contains(key) {
            // It is still connected, unless the service that lost it reports it again.
            let isBack = entries.contains { $0.device.media == doubt.device.media && $0.device.id == doubt.device.id }
            if !isBack { absent.expect(doubt.device, place: doubt.place, at: now) }
        }
        doubtful = doubtful.filter { present.contains($0.key) && $0.value.end > now }
    }

    /// All reports grouped by device, in the order of arrival; each group begins with the service that opens the
    /// device.
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
            // Two devices of the same model, without serial numbers.
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
        let place = absent.takeReturned(device, at: now)
        device.isReturned = place != nil
        return (device, place ?? instanceCount)
    }

    /// Remembers the identifier of a device for each of its stable identifiers.
    private mutating func name(_ group: [SeenDevice], _ id: DeviceID) {
        if names.count > Self.nameLimit { names.removeAll() }
        for one in group {
            let alias = Alias(media: one.media, id: one.stableID)
            if names[alias] == nil { names[alias] = id }
        }
    }

    /// Uses the first service's description, and fills gaps from the others.
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

/// Names come from devices: they may contain any characters, at any length.
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
