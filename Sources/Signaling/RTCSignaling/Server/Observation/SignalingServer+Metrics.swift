extension SignalingServer {
    /// The explanations of a server's metrics by their names, for back ends that show them.
    package static var metricDescriptions: [String: String] { ServerMetrics.descriptions }
}
