/// Counters, gauges and histograms in memory, without a clock, a lock and a socket.
///
/// The number of families, and of label sets in each, is limited: what is beyond is refused and counted, so that no input can fill
/// the memory.
package struct MetricRegistry: Sendable {
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    package struct Label: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// One label set of a family.
    package struct Series: Sendable {
        package var labels: [Label]
        /// Of a counter or gauge.
        package var value = 0.0
        /// The number of observations up to each bound and above the previous one, and last those above all bounds.
        package var buckets: [UInt64]
        package var count: UInt64 = 0
        package var sum = 0.0
        fileprivate var generation: UInt64
        fileprivate var isRemoved = false
    }

    package struct Family: Sendable {
        package var name: String
        package var kind: Kind
        package var help: String
        /// The upper bounds of a histogram's buckets, ascending and finite.
        package var bounds: [Double]
        fileprivate var slots: [Series] = []
        fileprivate var index: [[Label]: Int] = [:]
        fileprivate var free: [Int] = []

        package var series: [Series] { slots.filter { !$0.isRemoved } }
    }

    /// A place of a registry. After ``remove(_:)`` it refers to nothing.
    package struct Key: Hashable, Sendable {
        fileprivate var family: Int
        fileprivate var series: Int
        fileprivate var generation: UInt64
    }

    package struct Limits: Sendable {
        package var families = 256
        package var seriesPerFamily = 100
        /// The maximum length of a label's value in bytes of UTF-8; longer ones are cut.
        package var labelValue = 128

        package init() {}
    }

    package private(set) var families: [Family] = []
    /// The number of label sets that were refused because of a limit, or because their name means something else already.
    package private(set) var refused: UInt64 = 0
    private let limits: Limits
    private var indexes: [String: Int] = [:]
    /// The names of samples, by which two families may not collide.
    private var sampleNames: Set<String> = []
    private var lastGeneration: UInt64 = 0

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Adds a label set, or finds it.
    ///
    /// - Parameters:
    ///   - name: Characters that a name cannot have become underscores. A counter's name gets the ending `_total`.
    ///   - help: Counts for the first label set of the family, as do the bounds.
    ///   - bounds: The upper bounds of a histogram's buckets.
    /// - Returns: `nil` if there is no room, or the name belongs to metrics of another kind.
    package mutating func register(
        _ name: String, _ kind: Kind, _ labels: [Label] = [], help: String = "", bounds: [Double] = []
    ) -> Key? {
        let labels = normalized(labels, of: kind)
        guard let family = family(Self.name(name, kind), kind, help, bounds) else {
            refused += 1
            return nil
        }
        if let series = families[family].index[labels] {
            return Key(family: family, series: series, generation: families[family].slots[series].generation)
        }
        guard families[family].index.count < limits.seriesPerFamily else {
            refused += 1
            return nil
        }
        lastGeneration += 1
        let buckets = kind == .histogram ? families[family].bounds.count + 1 : 0
        let new = Series(
            labels: labels, buckets: Array(repeating: 0, count: buckets), generation: lastGeneration)
        let slot = families[family].free.popLast() ?? families[family].slots.count
        if slot == families[family].slots.count {
            families[family].slots.append(new)
        } else {
            families[family].slots[slot] = new
        }
        families[family].index[labels] = slot
        return Key(family: family, series: slot, generation: lastGeneration)
    }

    private mutating func family(_ name: String, _ kind: Kind, _ help: String, _ bounds: [Double]) -> Int? {
        if let index = indexes[name] { return families[index].kind == kind ? index : nil }
        let samples = Self.samples(of: name, kind)
        guard families.count < limits.families, sampleNames.isDisjoint(with: samples) else { return nil }
        sampleNames.formUnion(samples)
        indexes[name] = families.count
        let bounds = Set(bounds.filter(\.isFinite)).sorted()
        families.append(Family(name: name, kind: kind, help: help, bounds: kind == .histogram ? bounds : []))
        return families.count - 1
    }

    /// Removes a label set, whose place may be used by another one.
    package mutating func remove(_ key: Key) {
        guard isCurrent(key) else { return }
        let labels = families[key.family].slots[key.series].labels
        families[key.family].slots[key.series].isRemoved = true
        families[key.family].index[labels] = nil
        families[key.family].free.append(key.series)
    }

    private func isCurrent(_ key: Key) -> Bool {
        let series = families[key.family].slots[key.series]
        return series.generation == key.generation && !series.isRemoved
    }
}

// MARK: - Values

extension MetricRegistry {
    /// Adds to a counter, or to a gauge. A counter ignores what is negative or no number.
    package mutating func add(_ amount: Double, to key: Key) {
        guard isCurrent(key), families[key.family].kind != .histogram else { return }
        if families[key.family].kind == .counter, !(amount >= 0 && amount.isFinite) { return }
        families[key.family].slots[key.series].value += amount
    }

    /// Sets a gauge, also to something that is no number or infinite.
    package mutating func set(_ key: Key, to value: Double) {
        guard isCurrent(key), families[key.family].kind == .gauge else { return }
        families[key.family].slots[key.series].value = value
    }

    /// Counts an observation in a histogram. What is no number or infinite is ignored: it would spoil the sum for ever.
    package mutating func observe(_ value: Double, in key: Key) {
        guard isCurrent(key), families[key.family].kind == .histogram, value.isFinite else { return }
        let bounds = families[key.family].bounds
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        families[key.family].slots[key.series].buckets[bucket] += 1
        families[key.family].slots[key.series].count += 1
        families[key.family].slots[key.series].sum += value
    }

    /// Sets a label set to zero.
    package mutating func reset(_ key: Key) {
        guard isCurrent(key) else { return }
        families[key.family].slots[key.series].value = 0
        families[key.family].slots[key.series].count = 0
        families[key.family].slots[key.series].sum = 0
        for bucket in families[key.family].slots[key.series].buckets.indices {
            families[key.family].slots[key.series].buckets[bucket] = 0
        }
    }
}

// MARK: - Names

extension MetricRegistry {
    /// The name as the format permits it: `[a-zA-Z_:][a-zA-Z0-9_:]*`.
    static func name(_ name: String, _ kind: Kind) -> String {
        let name = cleaned(name, permitsColon: true)
        return kind == .counter && !name.hasSuffix("_total") ? name + "_total" : name
    }

    private static func cleaned(_ name: String, permitsColon: Bool) -> String {
        var result = ""
        for scalar in name.unicodeScalars.prefix(200) {
            switch scalar {
            case "a"..."z", "A"..."Z", "_": result.unicodeScalars.append(scalar)
            case "0"..."9":
                if result.isEmpty { result = "_" }
                result.unicodeScalars.append(scalar)
            case ":" where permitsColon: result += ":"
            default: result += "_"
            }
        }
        return result.isEmpty ? "_" : result
    }

    /// Labels with permitted names, sorted, and each name once. Names that begin with two underscores are reserved, and so is the
    /// label of a histogram's buckets.
    private func normalized(_ labels: [Label], of kind: Kind) -> [Label] {
        var names: Set<String> = []
        var result: [Label] = []
        for label in labels {
            var name = Self.cleaned(label.name, permitsColon: false)
            if name.hasPrefix("__") || (kind == .histogram && name == "le") { name = "label_" + name }
            guard names.insert(name).inserted else { continue }
            result.append(Label(name, cut(label.value)))
        }
        return result.sorted { $0.name < $1.name }
    }

    private func cut(_ value: String) -> String {
        guard value.utf8.count > limits.labelValue else { return value }
        var result = String.UnicodeScalarView()
        var count = 0
        for scalar in value.unicodeScalars {
            count += String(scalar).utf8.count
            if count > limits.labelValue { break }
            result.append(scalar)
        }
        return String(result)
    }

    /// The names that a family's samples have in one of the formats.
    private static func samples(of name: String, _ kind: Kind) -> Set<String> {
        switch kind {
        case .gauge: [name]
        case .counter: [name, String(name.dropLast("_total".count)), "\(name.dropLast("_total".count))_created"]
        case .histogram: [name, "\(name)_bucket", "\(name)_sum", "\(name)_count", "\(name)_created"]
        }
    }
}
