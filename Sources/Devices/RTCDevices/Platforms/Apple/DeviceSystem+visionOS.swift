#if os(visionOS)
    extension DeviceSystem {
        /// The system's services: the microphones of the audio session, and the permissions. There are no cameras:
        /// visionOS gives apps none, and external ones need a newer system than this package supports. A call's video
        /// comes from a capturer of the app.
        public static let ofMachine = DeviceSystem(
            authorization: FrameworkAuthorization(framework: SystemPermissions()),
            discovery: { SessionInputs() }, capture: SystemCapture())
    }
#endif
