import PrometheusMetrics
import ServiceLifecycle

/// Serves metrics until everything else has ended.
struct MetricsService: Service {
    let endpoint: MetricsEndpoint

    func run() async throws {
        try? await gracefulShutdown()
        await endpoint.stop()
    }
}
