#if os(macOS)
    import AVFAudio
    import AVFoundation
    import AudioToolbox
    import Foundation

    /// What stands for an audio session on macOS, which has none: an engine is told its device.
    struct EngineSession {
        static let prefersInputs = false

        /// - Returns: What the sound system calls a microphone in the list. What is not connected any more has no such name.
        static func inputName(of device: MediaDevice) -> String? {
            SystemDiscovery.ledger.withDevice(device.handle) { $0.uniqueID } ?? device.handle
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

        /// An engine takes the system's default, unless its input is told which one.
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
