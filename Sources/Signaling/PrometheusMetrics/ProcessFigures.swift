/// The memory, processor time and descriptors of this process.
struct ProcessFigures: Sendable {
    /// In bytes.
    var residentMemory: Double?
    /// In seconds, of user and system together.
    var processorTime: Double?
    var openDescriptors: Double?
    var mostDescriptors: Double?

    /// Adds them under the names that Prometheus's own clients use.
    ///
    /// - Parameter startTime: In seconds since 1970.
    func add(to registry: inout MetricRegistry, startTime: Double) {
        let gauges: [(name: String, help: String, value: Double?)] = [
            ("process_resident_memory_bytes", "Resident memory in bytes", residentMemory),
            ("process_open_fds", "Open file descriptors", openDescriptors),
            ("process_max_fds", "The most file descriptors that may be open", mostDescriptors),
            ("process_start_time_seconds", "When the process began, in seconds since 1970", startTime),
        ]
        for (name, help, value) in gauges {
            guard let value, let key = registry.register(name, .gauge, help: help) else { continue }
            registry.set(key, to: value)
        }
        if let processorTime,
            let key = registry.register(
                "process_cpu_seconds_total", .counter, help: "Processor time of user and system in seconds")
        {
            registry.add(processorTime, to: key)
        }
    }
}
