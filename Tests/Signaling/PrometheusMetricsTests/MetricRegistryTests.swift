import Testing

@testable import PrometheusMetrics

@Suite("Metrics in memory")
struct MetricRegistryTests {
    private typealias Label = MetricRegistry.Label

    private func text(_ registry: MetricRegistry, _ format: MetricText = .prometheus) -> String {
        format.text(of: registry)
    }

    @Test("A counter grows, and ignores what is negative or no number")
    func counter() throws {
        var registry = MetricRegistry()
        let keyPlace = registry.register("calls", .counter, help: "Calls")
        let key = try #require(keyPlace)
        for amount in [1, 2.5, -4, .nan, .infinity, -.infinity, 0] { registry.add(amount, to: key) }
        registry.set(key, to: 99)
        registry.observe(99, in: key)
        #expect(text(registry) == "# HELP calls_total Calls\n# TYPE calls_total counter\ncalls_total 3.5\n")
        #expect(
            text(registry, .openMetrics)
                == "# HELP calls Calls\n# TYPE calls counter\ncalls_total 3.5\n# EOF\n")
        registry.reset(key)
        #expect(text(registry).hasSuffix("calls_total 0\n"))
    }

    @Test(
        "A gauge may be anything, also no number",
        arguments: [
            (0, "0"), (-0.5, "-0.5"), (1e300, "1e+300"), (9_007_199_254_740_992, "9007199254740992"),
            (Double.nan, "NaN"), (Double.infinity, "+Inf"), (-Double.infinity, "-Inf"), (1e-9, "1e-09"),
        ])
    func gauge(value: Double, written: String) throws {
        var registry = MetricRegistry()
        let keyPlace = registry.register("g", .gauge)
        let key = try #require(keyPlace)
        registry.set(key, to: value)
        #expect(text(registry) == "# TYPE g gauge\ng \(written)\n")
    }

    @Test("A histogram's buckets are cumulative, and their bounds are included")
    func histogram() throws {
        var registry = MetricRegistry()
        let bounds = [1, 0.1, .infinity, 0.1, .nan]
        let keyPlace = registry.register("h", .histogram, [Label("le", "x")], bounds: bounds)
        let key = try #require(keyPlace)
        for value in [0.1, 0.5, 1, 2, -3, .nan, .infinity] { registry.observe(value, in: key) }
        #expect(
            text(registry) == """
                # TYPE h histogram
                h_bucket{label_le="x",le="0.1"} 2
                h_bucket{label_le="x",le="1.0"} 4
                h_bucket{label_le="x",le="+Inf"} 5
                h_sum{label_le="x"} 0.6
                h_count{label_le="x"} 5

                """ || text(registry).contains("h_sum{label_le=\"x\"} 0.6000000000000001\n"))
    }

    @Test(
        "Values and explanations are escaped, and no line break gets through",
        arguments: [
            ("a\"b", "a\\\"b"), ("a\\b", "a\\\\b"), ("a\nb", "a\\nb"), ("a\r\nb", "a\r\\nb"), ("ä🎥", "ä🎥"), ("", ""),
        ])
    func escaping(value: String, written: String) throws {
        var registry = MetricRegistry()
        _ = registry.register("g", .gauge, [Label("l", value)], help: value)
        #expect(text(registry).hasSuffix("g{l=\"\(written)\"} 0\n"))
        let lines = text(registry).unicodeScalars.split(separator: "\n")
        #expect(lines.count == (value.isEmpty ? 2 : 3))
    }

    @Test(
        "Names become permitted ones",
        arguments: [
            ("a.b-c", "a_b_c"), ("9lives", "_9lives"), ("", "_"), ("ü", "_"), ("a:b", "a:b"),
            ("x\n# TYPE y", "x___TYPE_y"),
        ])
    func names(name: String, written: String) {
        var registry = MetricRegistry()
        _ = registry.register(name, .gauge, [Label("__name__", "a"), Label("b b", "c"), Label("b_b", "d")])
        #expect(text(registry) == "# TYPE \(written) gauge\n\(written){b_b=\"c\",label___name__=\"a\"} 0\n")
    }

    @Test("The order of labels does not matter, and two of the same are one")
    func sameLabels() throws {
        var registry = MetricRegistry()
        let first = registry.register("g", .gauge, [Label("a", "1"), Label("b", "2")])
        let second = registry.register("g", .gauge, [Label("b", "2"), Label("a", "1")])
        #expect(first == second)
    }

    @Test("A name has one kind, and no two families have the same samples")
    func collisions() {
        var registry = MetricRegistry()
        let keys = [
            registry.register("h", .histogram), registry.register("h", .gauge), registry.register("h_sum", .gauge),
            registry.register("h_count", .gauge), registry.register("c", .counter), registry.register("c", .gauge),
        ]
        #expect(keys.map { $0 != nil } == [true, false, false, false, true, false])
        #expect(registry.refused == 4)
    }

    @Test("Label sets, families and the length of values are limited")
    func limits() throws {
        var limits = MetricRegistry.Limits()
        (limits.families, limits.seriesPerFamily, limits.labelValue) = (2, 3, 5)
        var registry = MetricRegistry(limits: limits)
        for number in 0..<10 { _ = registry.register("a", .gauge, [Label("n", "\(number)")]) }
        #expect(registry.refused == 7)
        #expect(registry.families[0].series.count == 3)
        _ = registry.register("b", .gauge, [Label("n", "ääää")])
        #expect(registry.families[1].series[0].labels[0].value == "ää")
        let refused = registry.register("c", .gauge)
        #expect(refused == nil)
    }

    @Test("A removed label set leaves room, and its key changes nothing more")
    func removal() throws {
        var limits = MetricRegistry.Limits()
        limits.seriesPerFamily = 1
        var registry = MetricRegistry(limits: limits)
        let oldPlace = registry.register("g", .gauge, [Label("n", "1")])
        let old = try #require(oldPlace)
        registry.remove(old)
        registry.remove(old)
        #expect(text(registry).isEmpty)
        let newPlace = registry.register("g", .gauge, [Label("n", "2")])
        let new = try #require(newPlace)
        registry.set(old, to: 7)
        #expect(text(registry).hasSuffix("g{n=\"2\"} 0\n"))
        registry.set(new, to: 8)
        #expect(text(registry).hasSuffix("g{n=\"2\"} 8\n"))
    }

    @Test(
        "OpenMetrics is for those that ask for it",
        arguments: [
            ([], false), (["*/*"], false), (["text/plain"], false),
            (["application/openmetrics-text"], true),
            (
                ["application/openmetrics-text; version=1.0.0; charset=utf-8;q=0.5, text/plain;version=0.0.4;q=0.3"],
                true
            ),
            (["application/openmetrics-text;version=2.0.0"], false), (["application/openmetrics-text;q=0"], false),
            (["text/plain", "Application/OpenMetrics-Text ; version=0.0.1"], true), ([",;=,;q=x"], false),
        ])
    func negotiation(accept: [String], isOpen: Bool) {
        #expect(MetricText(accept: accept).contentType.hasPrefix("application/openmetrics-text") == isOpen)
    }
}
