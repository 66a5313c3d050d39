/// The text formats in which Prometheus reads metrics.
package enum MetricText: Sendable {
    /// The text format of Prometheus, version 0.0.4.
    case prometheus
    /// OpenMetrics 1.0.
    case openMetrics

    /// The format for a client, by its `Accept` fields: OpenMetrics if it is named with a weight that is not zero.
    package init(accept: [String]) {
        for range in accept.flatMap({ $0.split(separator: ",") }) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard parts.first == "application/openmetrics-text" else { continue }
            let weight = parts.first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            let version = parts.first { $0.hasPrefix("version=") } ?? "version=1.0.0"
            guard weight > 0, version == "version=1.0.0" || version == "version=0.0.1" else { continue }
            self = .openMetrics
            return
        }
        self = .prometheus
    }

    package var contentType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    /// Writes all metrics, sorted by name and labels. Families without a label set are left out.
    package func text(of registry: MetricRegistry) -> String {
        var text = ""
        for family in registry.families.sorted(by: { $0.name < $1.name }) {
            let series = family.series.sorted { $0.labels.lexicographicallyPrecedes($1.labels, by: Self.precedes) }
            guard !series.isEmpty else { continue }
            head(family, into: &text)
            for series in series { samples(of: series, family, into: &text) }
        }
        if self == .openMetrics { text += "# EOF\n" }
        return text
    }

    private static func precedes(_ left: MetricRegistry.Label, _ right: MetricRegistry.Label) -> Bool {
        (left.name, left.value) < (right.name, right.value)
    }

    private func head(_ family: MetricRegistry.Family, into text: inout String) {
        var name = family.name
        if self == .openMetrics, family.kind == .counter { name = String(name.dropLast("_total".count)) }
        if !family.help.isEmpty {
            text += "# HELP \(name) \(Self.escaped(family.help, quotes: self == .openMetrics))\n"
        }
        text += "# TYPE \(name) \(family.kind.rawValue)\n"
    }

    private func samples(
        of series: MetricRegistry.Series, _ family: MetricRegistry.Family, into text: inout String
    ) {
        guard family.kind == .histogram else {
            text += "\(family.name)\(Self.braces(series.labels)) \(Self.number(series.value))\n"
            return
        }
        var total: UInt64 = 0
        for (index, count) in series.buckets.enumerated() {
            total += count
            let bound = index < family.bounds.count ? "\(family.bounds[index])" : "+Inf"
            let labels = series.labels + [MetricRegistry.Label("le", bound)]
            text += "\(family.name)_bucket\(Self.braces(labels)) \(total)\n"
        }
        text += "\(family.name)_sum\(Self.braces(series.labels)) \(Self.number(series.sum))\n"
        text += "\(family.name)_count\(Self.braces(series.labels)) \(series.count)\n"
    }

    private static func braces(_ labels: [MetricRegistry.Label]) -> String {
        guard !labels.isEmpty else { return "" }
        let pairs = labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }
        return "{" + pairs.joined(separator: ",") + "}"
    }

    static func escaped(_ text: String, quotes: Bool) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\"" where quotes: result.append(contentsOf: "\\\"".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        // Beyond 2^53, the digits would pretend to be exact.
        if value.rounded() == value, value.magnitude <= 9_007_199_254_740_992 { return "\(Int64(value))" }
        return "\(value)"
    }
}
