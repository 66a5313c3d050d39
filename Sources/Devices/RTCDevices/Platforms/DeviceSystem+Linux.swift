#if os(Linux)
    extension DeviceSystem {
        /// PipeWire, PulseAudio and V4L2 by GStreamer, the camera portal, and the system bus' orientation sensor.
        public static let ofMachine = DeviceSystem(
            authorization: LinuxAuthorization.shared, discovery: { LinuxDeviceDiscovery() },
            capture: GStreamerCapture(), playback: GStreamerPlayback(),
            rotation: { SensorRotation(for: $0, sensor: OrientationSensor()) })
    }
#endif
