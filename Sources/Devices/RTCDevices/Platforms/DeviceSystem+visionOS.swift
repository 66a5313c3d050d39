#if os(visionOS)
    extension DeviceSystem {
        /// The audio session's microphones, and the permissions. There are no cameras: the system keeps its own to itself, and those
        /// that are plugged in are newer than this package's floor. A call's pictures come from a capturer of the app's.
        public static let ofMachine = DeviceSystem(
            authorization: FrameworkAuthorization(framework: SystemPermissions()),
            discovery: { SessionInputs() }, capture: SystemCapture())
    }
#endif
