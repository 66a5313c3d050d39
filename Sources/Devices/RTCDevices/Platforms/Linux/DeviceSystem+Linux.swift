#if os(Linux)
    extension DeviceSystem {
        /// The system's services: PipeWire, PulseAudio and V4L2 through GStreamer, the camera portal, and the
        /// orientation sensor on the system bus.
        public static let ofMachine = DeviceSystem(
            authorization: LinuxAuthorization.shared, discovery: { LinuxDeviceDiscovery() },
            capture: GStreamerCapture(), playback: GStreamerPlayback(),
            rotation: { SensorRotation(for: $0, sensor: OrientationSensor()) })
    }
#endif
