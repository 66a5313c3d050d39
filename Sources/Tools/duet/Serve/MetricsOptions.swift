import ArgumentParser
import DuetShell
import PrometheusMetrics
import RTCSignaling

/// `--metrics-port`: metrics on a port of their own.
struct MetricsOptions: ParsableArguments {
    @Option(
        "metrics-port", value: "port",
        "Serve figures for Prometheus at /metrics on a port of their own; 0 lets the system choose.")
    var metricsPort: Int?

    @Option(
        "metrics-address", value: "address",
        "The address of that port: 127.0.0.1, or where only the monitoring reaches.")
    var metricsAddress: String?

    func validate() throws {
        if let metricsPort, !(0...65_535).contains(metricsPort) {
            throw ValidationError("--metrics-port is 0 to 65535")
        }
        if metricsAddress?.isEmpty == true { throw ValidationError("--metrics-address is empty") }
    }

    /// Where to serve metrics; `nil` for nowhere.
    ///
    /// - Parameter environment: Counts for what no option says.
    func place(_ environment: [String: String]) throws(Refusal) -> (address: String, port: Int)? {
        let address = metricsAddress ?? environment.value(of: "DUET_METRICS_ADDRESS")
        let inEnvironment = try metricsPort == nil ? Self.port(environment["DUET_METRICS_PORT"]) : nil
        guard let port = metricsPort ?? inEnvironment else {
            guard metricsAddress == nil else { throw Refusal("--metrics-address needs --metrics-port") }
            return nil
        }
        return (address ?? "127.0.0.1", port)
    }

    private static func port(_ text: String?) throws(Refusal) -> Int? {
        guard let text, !text.isEmpty else { return nil }
        guard let port = Int(text), (0...65_535).contains(port) else {
            throw Refusal("DUET_METRICS_PORT is 0 to 65535")
        }
        return port
    }

    /// A back end that explains the server's metrics.
    static func makeFactory() -> PrometheusMetricsFactory {
        var descriptions = PrometheusMetricsFactory.Descriptions()
        for (name, help) in SignalingServer.metricDescriptions { descriptions.help[name] = help }
        return PrometheusMetricsFactory(descriptions)
    }
}
