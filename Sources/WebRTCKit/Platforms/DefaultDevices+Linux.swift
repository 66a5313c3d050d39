#if !canImport(AVFoundation)
    extension DefaultDevices {
        /// There are none yet: an app passes its own.
        static let ofMachine = DefaultDevices.none
    }
#endif
