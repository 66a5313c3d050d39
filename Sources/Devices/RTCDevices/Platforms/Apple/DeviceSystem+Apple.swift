#if canImport(AVFoundation) && !os(visionOS)
    extension DeviceSystem {
        /// The system's services: AVFoundation, and the permission of the photo library.
        public static let ofMachine = DeviceSystem(
            authorization: FrameworkAuthorization(framework: SystemPermissions()),
            discovery: { SystemDiscovery() }, capture: SystemCapture(), rotation: { SystemRotation(for: $0) },
            preference: SystemPreference())
    }
#endif
