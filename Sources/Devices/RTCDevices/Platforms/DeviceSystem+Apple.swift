#if canImport(AVFoundation) && !os(visionOS)
    extension DeviceSystem {
        /// AVFoundation, and the photo library's permission.
        public static let ofMachine = DeviceSystem(
            authorization: FrameworkAuthorization(framework: SystemPermissions()),
            discovery: { SystemDiscovery() }, capture: SystemCapture(), rotation: { SystemRotation(for: $0) },
            preference: SystemPreference())
    }
#endif
