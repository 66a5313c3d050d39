import CoreMetrics
import Testing

@testable import PrometheusMetrics

@Suite("A back end of swift-metrics")
struct PrometheusFactoryTests {
    private func text(_ factory: PrometheusMetricsFactory) -> String {
        MetricText.prometheus.text(of: factory.snapshot)
    }

    @Test("Each kind of metric arrives as what it is")
    func kinds() {
        var descriptions = PrometheusMetricsFactory.Descriptions()
        descriptions.help = ["wait": "Seconds of waiting"]
        descriptions.bounds = ["wait": [0.5, 1], "size": [10]]
        let factory = PrometheusMetricsFactory(descriptions)
        Counter(label: "calls", dimensions: [("kind", "video")], factory: factory).increment(by: 3)
        FloatingPointCounter(label: "seconds", factory: factory).increment(by: 0.25)
        Gauge(label: "sockets", factory: factory).record(7)
        let meter = Meter(label: "level", factory: factory)
        meter.set(2.5)
        meter.increment(by: 1)
        meter.decrement(by: 0.5)
        Recorder(label: "size", factory: factory).record(11)
        Timer(label: "wait", factory: factory).recordMilliseconds(750)
        #expect(
            text(factory) == """
                # TYPE calls_total counter
                calls_total{kind="video"} 3
                # TYPE level gauge
                level 3
                # HELP metrics_refused_total Label sets for which the exporter had no room
                # TYPE metrics_refused_total counter
                metrics_refused_total 0
                # TYPE seconds_total counter
                seconds_total 0.25
                # TYPE size histogram
                size_bucket{le="10.0"} 0
                size_bucket{le="+Inf"} 1
                size_sum 11
                size_count 1
                # TYPE sockets gauge
                sockets 7
                # HELP wait_seconds Seconds of waiting
                # TYPE wait_seconds histogram
                wait_seconds_bucket{le="0.5"} 0
                wait_seconds_bucket{le="1.0"} 1
                wait_seconds_bucket{le="+Inf"} 1
                wait_seconds_sum 0.75
                wait_seconds_count 1

                """)
    }

    @Test("What there is no room for is counted, and may be used all the same")
    func noRoom() {
        var limits = MetricRegistry.Limits()
        limits.seriesPerFamily = 2
        let factory = PrometheusMetricsFactory(limits: limits)
        for number in 0..<5 {
            let counter = Counter(label: "c", dimensions: [("n", "\(number)")], factory: factory)
            counter.increment()
            counter.reset()
        }
        #expect(text(factory).contains("metrics_refused_total 3\n"))
    }

    @Test("A destroyed metric is gone")
    func destroyed() {
        let factory = PrometheusMetricsFactory()
        let recorder = Recorder(label: "r", factory: factory)
        recorder.record(1)
        recorder.destroy()
        let counter = Counter(label: "c", factory: factory)
        counter.destroy()
        counter.increment()
        #expect(!text(factory).contains("r_count"))
        #expect(!text(factory).contains("c_total"))
    }

    @Test("Many tasks at once lose nothing")
    func concurrent() async {
        let factory = PrometheusMetricsFactory()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    let counter = Counter(label: "c", factory: factory)
                    let timer = Timer(label: "t", dimensions: [("task", "\(task % 2)")], factory: factory)
                    for _ in 0..<2_000 {
                        counter.increment()
                        timer.recordMilliseconds(1)
                    }
                }
                group.addTask { for _ in 0..<50 { _ = text(factory) } }
            }
        }
        #expect(text(factory).contains("\nc_total 16000\n"))
        #expect(text(factory).contains("t_seconds_count{task=\"0\"} 8000\n"))
    }
}
