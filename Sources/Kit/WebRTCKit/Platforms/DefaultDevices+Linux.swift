#if !canImport(AVFoundation)
    internal import RTCDevices

    extension DefaultDevices {
        /// What PipeWire, PulseAudio and V4L2 show.
        static let ofMachine = DefaultDevices(media: { () throws(DeviceError) in try MediaDevices() })
    }
#endif
