extension SignalingServer {
    /// The explanations of a server's metrics by their names, for back ends that show them.
    public static var metricDescriptions: [String: String] {
        Dictionary(ServerMetrics.descriptions.map { ($0.name, $0.help) }) { first, _ in first }
    }
}
