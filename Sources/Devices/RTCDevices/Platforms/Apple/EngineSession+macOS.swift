#if os(macOS)
    import AVFAudio
    import AVFoundation
    import AudioToolbox
    import Foundation

    /// Replaces the audio session, which macOS does not have: the engine is given its device.
    struct EngineSession {
        static let prefersInputs = false

        /// - Returns: The Core Audio identifier of a microphone in the list, or its handle if it is not connected any
        ///   more.
        static func inputName(of device: MediaDevice) -> String? {
            SystemDiscovery.deviceHandles.withDevice(device.handle) { $0.uniqueID } ?? device.handle
        }

        let route = EngineRoute(inputRate: 0, outputRate: 0)

        func observe(_ report: @escaping @Sendable (EngineEvent) -> Void) {}
        func prepare() throws(DeviceError) {}
        func setActive(_ isActive: Bool) throws(DeviceError) {}
        func preferInput(_ device: String?) throws(DeviceError) {}

        func hasInput(_ device: String?) -> Bool {
            guard let device else { return AVCaptureDevice.default(for: .audio) != nil }
            return Self.audioDevice(device) != nil
        }

        /// Sets the input's device; without one, the engine uses the system's default.
        ///
        /// - Parameter element: See ``EngineWiring``.
        func use(_ device: String?, for input: AVAudioInputNode, _ element: UInt32) throws(DeviceError) {
            guard let device else { return }
            guard let unit = input.audioUnit, var id = Self.audioDevice(device) else {
                throw DeviceError(.disconnected, "the microphone is not connected any more")
            }
            let status = AudioUnitSetProperty(
                unit, kAudioOutputUnitProperty_CurrentDevice, kAudioUnitScope_Global, element, &id,
                UInt32(MemoryLayout<AudioDeviceID>.size))
            guard status == noErr else {
                throw DeviceError(.failed, "the system does not record from this microphone (\(status))")
            }
        }

        private static let utf8: CFStringEncoding = 0x0800_0100

        private static func audioDevice(_ uid: String) -> AudioDeviceID? {
            var address = AudioObjectPropertyAddress(
                mSelector: kAudioHardwarePropertyTranslateUIDToDevice, mScope: kAudioObjectPropertyScopeGlobal,
                mElement: kAudioObjectPropertyElementMain)
            let bytes = Array(uid.utf8)
            guard var name = CFStringCreateWithBytes(nil, bytes, bytes.count, utf8, false) else { return nil }
            var id = kAudioObjectUnknown
            var size = UInt32(MemoryLayout<AudioDeviceID>.size)
            let status = withUnsafePointer(to: &name) { name in
                AudioObjectGetPropertyData(
                    AudioObjectID(kAudioObjectSystemObject), &address, UInt32(MemoryLayout<CFString>.size), name,
                    &size, &id)
            }
            return status == noErr && id != kAudioObjectUnknown ? id : nil
        }
    }
#endif
