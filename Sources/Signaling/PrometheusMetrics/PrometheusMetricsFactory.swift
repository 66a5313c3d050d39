package import CoreMetrics
internal import Synchronization

/// A back end of swift-metrics that keeps all metrics in memory, for Prometheus to fetch.
///
/// A timer is a histogram in seconds, a recorder that aggregates a histogram, and one that does not, or a meter, a gauge.
package final class PrometheusMetricsFactory: MetricsFactory {
    /// What the metrics are, for people and for Prometheus.
    package struct Descriptions: Sendable {
        /// The explanation of each metric, by the name under which it is made.
        package var help: [String: String] = [:]
        /// The upper bounds of a histogram's buckets, by the same name; for timers in seconds.
        package var bounds: [String: [Double]] = [:]
        /// The bounds of all other histograms: from half a millisecond to 10 s.
        package var defaultBounds = [
            0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
        ]

        package init() {}
    }

    private let registry: Mutex<MetricRegistry>
    private let descriptions: Descriptions

    package init(_ descriptions: Descriptions = Descriptions(), limits: MetricRegistry.Limits = .init()) {
        self.descriptions = descriptions
        registry = Mutex(MetricRegistry(limits: limits))
    }

    /// The present state of all metrics, and of the exporter itself.
    package var snapshot: MetricRegistry {
        var copy = registry.withLock { $0 }
        // Counted before the exporter's own are added.
        let refused = copy.refused
        if let key = copy.register(
            "metrics_refused_total", .counter, help: "Label sets for which the exporter had no room")
        {
            copy.add(Double(refused), to: key)
        }
        return copy
    }

    fileprivate func update(_ change: (inout MetricRegistry) -> Void) {
        registry.withLock { change(&$0) }
    }

    private func handler(
        _ label: String, _ kind: MetricRegistry.Kind, _ dimensions: [(String, String)], ending: String = ""
    ) -> PrometheusHandler {
        let name = label.hasSuffix(ending) ? label : label + ending
        let labels = dimensions.map { MetricRegistry.Label($0.0, $0.1) }
        let key = registry.withLock {
            $0.register(
                name, kind, labels, help: descriptions.help[label] ?? "",
                bounds: descriptions.bounds[label] ?? descriptions.defaultBounds)
        }
        return PrometheusHandler(self, key)
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        handler(label, .counter, dimensions)
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        handler(label, .counter, dimensions)
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        handler(label, .gauge, dimensions)
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        PrometheusRecorder(handler(label, aggregate ? .histogram : .gauge, dimensions), isHistogram: aggregate)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        handler(label, .histogram, dimensions, ending: "_seconds")
    }

    package func destroyCounter(_ handler: any CounterHandler) { destroy(handler) }
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { destroy(handler) }
    package func destroyMeter(_ handler: any MeterHandler) { destroy(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { destroy((handler as? PrometheusRecorder)?.handler) }
    package func destroyTimer(_ handler: any TimerHandler) { destroy(handler) }

    private func destroy(_ handler: Any?) {
        guard let key = (handler as? PrometheusHandler)?.key else { return }
        update { $0.remove(key) }
    }
}

/// One label set. Two of the same name and labels count together.
private final class PrometheusHandler: CounterHandler, FloatingPointCounterHandler, MeterHandler, TimerHandler {
    private let factory: PrometheusMetricsFactory
    /// `nil` if there was no room.
    let key: MetricRegistry.Key?

    init(_ factory: PrometheusMetricsFactory, _ key: MetricRegistry.Key?) {
        self.factory = factory
        self.key = key
    }

    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func set(_ value: Int64) { set(Double(value)) }

    func reset() {
        guard let key else { return }
        factory.update { $0.reset(key) }
    }

    func set(_ value: Double) {
        guard let key else { return }
        factory.update { $0.set(key, to: value) }
    }

    func observe(_ value: Double) {
        guard let key else { return }
        factory.update { $0.observe(value, in: key) }
    }

    func recordNanoseconds(_ duration: Int64) { observe(Double(duration) / 1e9) }

    private func add(_ amount: Double) {
        guard let key else { return }
        factory.update { $0.add(amount, to: key) }
    }
}

private final class PrometheusRecorder: RecorderHandler {
    let handler: PrometheusHandler
    private let isHistogram: Bool

    init(_ handler: PrometheusHandler, isHistogram: Bool) {
        self.handler = handler
        self.isHistogram = isHistogram
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        if isHistogram { handler.observe(value) } else { handler.set(value) }
    }
}
