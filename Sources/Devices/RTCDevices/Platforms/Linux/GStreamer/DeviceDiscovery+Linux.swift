#if os(Linux)
    import Synchronization

    /// Reports the devices of PipeWire, PulseAudio and V4L2.
    final class LinuxDeviceDiscovery: DeviceDiscoveryBackend {
        private let registration = Mutex<Int?>(nil)

        init() {}
        deinit { stop() }

        func start(_ report: @escaping @Sendable (DiscoveryReport) -> Void) throws(DeviceError) {
            stop()
            let number = try DeviceHub.shared.add(report)
            registration.withLock { $0 = number }
        }

        func stop() {
            let number = registration.withLock { number in
                defer { number = nil }
                return number
            }
            if let number { DeviceHub.shared.remove(number) }
        }
    }
#endif
