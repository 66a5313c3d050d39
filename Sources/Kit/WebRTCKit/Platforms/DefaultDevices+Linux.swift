#if !canImport(AVFoundation)
    internal import RTCDevices

    extension DefaultDevices {
        /// The devices of PipeWire, PulseAudio and V4L2.
        static let ofMachine = DefaultDevices(media: { () throws(DeviceError) in try MediaDevices() })
    }
#endif
