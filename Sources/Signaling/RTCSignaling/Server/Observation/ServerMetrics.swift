internal import CoreMetrics
internal import NIOCore
internal import PrometheusMetrics

/// Reports a server's ``ServerStatistics`` to a back end of swift-metrics, and the times that the statistics do not have.
///
/// The statistics own the figures: once in each sweep, counters get what was added since the last one.
final class ServerMetrics {
    /// Whether there is a back end at all.
    let isEnabled: Bool
    private let factory: any MetricsFactory
    private var gauges: [String: Gauge] = [:]
    private var counters: [String: Total] = [:]
    private let signalTimer: Timer
    private let delayTimer: Timer

    private struct Total {
        let counter: Counter
        var last: UInt64 = 0
    }

    private static let signal = "duet_signaling_message"
    private static let loopDelay = "duet_signaling_event_loop_delay"

    /// The explanations of all metrics by their names.
    static var descriptions: [String: String] {
        var all = ServerStatistics()
        all.pushes = PushStatistics()
        let figures = all.figures.map { ($0.name, $0.help) }
        let timers = [
            (signal, "Seconds from a message's arrival until what it causes is on its way to its receivers"),
            (loopDelay, "Seconds by which the event loop is late"),
        ]
        return Dictionary(figures + timers) { first, _ in first }
    }

    /// The time between two measurements of the event loop's delay.
    private static let probePause = TimeAmount.milliseconds(250)

    init(_ factory: (any MetricsFactory)?) {
        let factory = factory ?? MetricsSystem.factory
        self.factory = factory
        isEnabled = !(factory is NOOPMetricsHandler)
        signalTimer = Timer(label: Self.signal, factory: factory)
        delayTimer = Timer(label: Self.loopDelay, factory: factory)
        // So that all of them are there from the beginning.
        if isEnabled { sample(ServerStatistics()) }
    }

    /// Counts the time from a message's arrival until what it causes is on its way.
    func served(since arrival: NIODeadline) {
        guard isEnabled else { return }
        signalTimer.recordNanoseconds((NIODeadline.now() - arrival).nanoseconds)
    }

    /// Measures how late the event loop is, from now on.
    func watch(_ loop: any EventLoop) -> RepeatedTask? {
        guard isEnabled else { return nil }
        let pause = Self.probePause
        let probe = NIOLoopBoundBox((metrics: self, due: loop.now + pause), eventLoop: loop)
        return loop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { _ in
            let late = NIODeadline.now() - probe.value.due
            probe.value.metrics.delayTimer.recordNanoseconds(max(0, late.nanoseconds))
            probe.value.due = NIODeadline.now() + pause
        }
    }

    /// Reports the current figures.
    func sample(_ statistics: ServerStatistics) {
        for figure in statistics.figures {
            for sample in figure.samples {
                switch figure.kind {
                case .counter: count(figure.name, sample.label.map { [($0.name, $0.value)] } ?? [], sample.value)
                case .gauge, .histogram: gauge(figure.name).record(sample.value)
                }
            }
        }
    }

    private func gauge(_ name: String) -> Gauge {
        if let gauge = gauges[name] { return gauge }
        let gauge = Gauge(label: name, factory: factory)
        gauges[name] = gauge
        return gauge
    }

    private func count(_ name: String, _ labels: [(String, String)], _ value: UInt64) {
        let key = name + (labels.first.map { " \($0.1)" } ?? "")
        var total = counters[key] ?? Total(counter: Counter(label: name, dimensions: labels, factory: factory))
        if value > total.last { total.counter.increment(by: Int64(clamping: value - total.last)) }
        total.last = value
        counters[key] = total
    }
}
