package import RTCFrames

/// An event of an open device.
package enum CaptureEvent: Sendable, Hashable {
    /// Something else uses the device temporarily (a phone call, another program, an app in the background). Nothing is
    /// captured. The text is human-readable.
    case interrupted(String)
    case resumed
    /// The device was unplugged. The last event.
    case disconnected
    /// The device failed. The last event.
    case failed(DeviceError)
}

/// An open camera.
///
/// It captures between ``VideoSource/start(delivering:)`` and ``VideoSource/stop()``, and releases the device in
/// ``close()``. Frames have the orientation of the sensor and ``VideoFrame/rotation`` `none`; on Linux they are
/// ``I420Buffer`` or ``NV12Buffer``, on Apple's platforms ``CoreVideoBuffer``. Timestamps are on the engine's clock.
package protocol CameraCapture: VideoSource {
    var device: MediaDevice { get }
    /// The format of the frames: the requested one, or the one that the camera chose instead.
    var format: CaptureFormat { get }

    /// Sets a control.
    ///
    /// - Throws: ``DeviceError`` `unsupported` if the camera has no such control, or the value is out of range.
    func set(_ setting: CameraSetting) throws(DeviceError)

    /// Releases the device, which may be opened again when this returns. No event follows, and at most one frame that
    /// is being delivered. May be called twice.
    func close() async
}

/// An open microphone. It captures from ``AudioSource/start(delivering:)`` on, in buffers of 10 ms at 48 kHz.
package protocol MicrophoneCapture: AudioSource {
    var device: MediaDevice { get }

    /// Releases the device, like ``CameraCapture/close()``.
    func close() async
}

/// A microphone that the app itself may keep from delivering anything, without an event.
protocol PausableCapture: MicrophoneCapture {
    var isPaused: Bool { get }
}

/// The system's processing of a microphone's audio.
public struct VoiceProcessing: Sendable, Hashable {
    /// Whether the audio of the loudspeaker is removed (echo cancellation).
    public var cancelsEcho: Bool
    public var suppressesNoise: Bool
    /// Whether the level is adjusted automatically (automatic gain control).
    public var controlsGain: Bool

    public init(cancelsEcho: Bool = true, suppressesNoise: Bool = true, controlsGain: Bool = true) {
        self.cancelsEcho = cancelsEcho
        self.suppressesNoise = suppressesNoise
        self.controlsGain = controlsGain
    }

    /// The processing for calls.
    public static let call = VoiceProcessing()
    /// No processing.
    public static let none = VoiceProcessing(cancelsEcho: false, suppressesNoise: false, controlsGain: false)
}

/// Opens cameras and microphones: the system's backend, or a mock in tests.
package protocol CaptureBackend: Sendable {
    /// Whether a device may be opened while another one is being closed. By default `true`.
    var canOpenWhileClosing: Bool { get }

    /// Opens a camera, without capturing yet.
    ///
    /// - Parameters:
    ///   - format: One of the device's formats; `nil` for the camera's default.
    ///   - onEvent: Called on any thread, one call at a time, possibly before this method returns.
    /// - Throws: ``DeviceError`` `disconnected`, `busy`, `denied`, `unsupported`, `unavailable` or `failed`.
    func openCamera(
        _ device: MediaDevice, format: CaptureFormat?, onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) async throws(DeviceError) -> any CameraCapture

    /// Opens a microphone, without capturing yet. See ``openCamera(_:format:onEvent:)``.
    func openMicrophone(
        _ device: MediaDevice, processing: VoiceProcessing, onEvent: @escaping @Sendable (CaptureEvent) -> Void
    ) async throws(DeviceError) -> any MicrophoneCapture
}

extension CaptureBackend {
    package var canOpenWhileClosing: Bool { true }
}
