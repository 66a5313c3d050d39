public import RTCFrames

/// What happens to a device that is open.
public enum CaptureEvent: Sendable, Hashable {
    /// Somebody else has it for a while (a telephone call, another program, an app in the background). Nothing comes.
    case interrupted(String)
    case resumed
    /// It was pulled out. Nothing comes any more, and this is the last event.
    case disconnected
    /// It does not work any more, and this is the last event.
    case failed(DeviceError)
}

/// A camera that is open.
///
/// It captures from ``VideoSource/start(delivering:)`` to ``VideoSource/stop()``, and lets go of the device in
/// ``close()``. Pictures come in the sensor's orientation, with ``VideoFrame/rotation`` `none`; on Linux as ``I420Buffer`` or
/// ``NV12Buffer``, on Apple's platforms as ``CoreVideoBuffer``. Their timestamps are on the engine's clock.
public protocol CameraCapture: VideoSource {
    var device: MediaDevice { get }
    /// What it delivers: what was asked for, or what the camera made of it.
    var format: CaptureFormat { get }

    /// - Throws: ``DeviceError`` `unsupported` if the camera has no such control, or the value is out of its range.
    func set(_ setting: CameraSetting) throws(DeviceError)

    /// Lets go of the device. It may be opened anew when this returns. No event comes after it, and at most one picture that is
    /// on its way. May be called twice.
    func close() async
}

/// A microphone that is open. Sound comes as 48 kHz in pieces of 10 ms, from ``AudioSource/start(delivering:)`` on.
public protocol MicrophoneCapture: AudioSource {
    var device: MediaDevice { get }

    /// Lets go of the device, as ``CameraCapture/close()`` does.
    func close() async
}

/// What the system does to the sound of a microphone on the way.
public struct VoiceProcessing: Sendable, Hashable {
    /// What the loudspeaker plays is taken out.
    public var cancelsEcho: Bool
    public var suppressesNoise: Bool
    /// Quiet voices are made louder, loud ones quieter.
    public var controlsGain: Bool

    public init(cancelsEcho: Bool = true, suppressesNoise: Bool = true, controlsGain: Bool = true) {
        self.cancelsEcho = cancelsEcho
        self.suppressesNoise = suppressesNoise
        self.controlsGain = controlsGain
    }

    /// What a call needs.
    public static let call = VoiceProcessing()
    /// Sound as the microphone hears it.
    public static let none = VoiceProcessing(cancelsEcho: false, suppressesNoise: false, controlsGain: false)
}

/// Opens devices: a part of the system, or a stand-in in tests.
public protocol CaptureBackend: Sendable {
    /// Whether one device may be opened while another one is still being closed. Yes, unless a backend says otherwise.
    var canOpenWhileClosing: Bool { get }

    /// Opens a camera; nothing is captured yet.
    ///
    /// - Parameters:
    ///   - format: One of the device's; `nil` for what it likes best.
    ///   - onEvent: Called on any thread, one at a time, also while this has not returned.
    /// - Throws: ``DeviceError`` `disconnected`, `busy`, `denied`, `unsupported`, `unavailable` or `failed`.
    func openCamera(
        _ device: MediaDevice, format: CaptureFormat?, onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) async throws(DeviceError) -> any CameraCapture

    /// Opens a microphone; nothing is captured yet. See ``openCamera(_:format:onEvent:)``.
    func openMicrophone(
        _ device: MediaDevice, processing: VoiceProcessing, onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) async throws(DeviceError) -> any MicrophoneCapture
}

extension CaptureBackend {
    public var canOpenWhileClosing: Bool { true }
}
