internal import RTC
public import RTCDevices
internal import RTCFrames

/// The machine's cameras, microphones and loudspeakers, as calls use them.
///
/// ```swift
/// let devices = try MediaDevices(store: CameraHistoryFile(app: "doorbell"))
/// var options = WebRTCKit.Options()
/// options.devices = devices
/// …
/// devices.cameras.switchCamera()                // the button
/// devices.microphone.choose(microphone.id)      // a list
/// ```
///
/// Changing a device during a call needs no renegotiation. If a device is unplugged or fails, the next one takes over,
/// and ``CallManagerDelegate/mediaDeviceDidChange(_:of:)`` is called. Without a camera, the peer receives black frames
/// and the call continues with audio; a camera that is plugged in later is used at once.
///
/// Frames are sent with the rotation that makes them upright, and are never mirrored. Devices are open only while they
/// are needed.
public final class MediaDevices: Sendable {
    /// All connected devices.
    public let list: DeviceList
    /// The camera selection: the camera in use, and the switch button. Choose here, at any time.
    public let cameras: CameraSelector
    /// The camera in use.
    public let camera: CameraFeed
    /// The microphone in use. Choose here, at any time.
    public let microphone: MicrophoneFeed
    /// The loudspeaker in use. Choose here, at any time. `nil` where the system alone chooses, as on Apple's platforms.
    public let speaker: SpeakerFeed?
    /// The app's permission to use the devices.
    public let authorization: MediaAuthorization

    /// The camera for sending: black frames while there is none.
    let sentCamera: BlankingCamera

    /// Starts watching for devices. No permission is requested and no device is opened before one is needed.
    ///
    /// - Parameters:
    ///   - policy: How to choose among several cameras.
    ///   - store: The storage for the person's choice of camera; `nil` to remember nothing.
    ///   - request: The wanted frame size and frame rate of cameras.
    ///   - processing: The processing of the microphone's audio, such as echo cancellation.
    ///   - system: The device access to use; by default this machine's.
    /// - Throws: `DeviceError` `unavailable` if this machine has no service that reports devices.
    public init(
        policy: CameraPolicy = .call, store: (any CameraHistoryStore)? = nil, request: CaptureRequest = .hd720,
        processing: VoiceProcessing = .call, system: DeviceSystem? = nil
    ) throws(DeviceError) {
        let machine = system ?? .ofMachine
        authorization = system.map { MediaAuthorization(backend: $0.authorization) } ?? .system
        list = try DeviceList(backend: machine.discovery())
        cameras = CameraSelector(devices: list, policy: policy, store: store, preference: machine.preference)
        camera = CameraFeed(cameras, request: request, system: machine)
        microphone = MicrophoneFeed(devices: list, besides: cameras, processing: processing, system: machine)
        speaker = machine.playback.map { [list] in SpeakerFeed(devices: list, playback: $0) }
        sentCamera = BlankingCamera(camera)
    }

    /// The microphone built into the camera in use, if it has one. `MicrophoneChoice.list` offers it first, and it
    /// takes over first when the one in use fails.
    package var microphoneOfCamera: MediaDevice? { cameras.choice.current.flatMap(microphone.choice.microphone(of:)) }
}

extension MediaDevices {
    /// Returns when a device may be used.
    ///
    /// - Throws: ``CallManagerError/deviceUnavailable(_:)`` with advice, if there is none or permission is denied.
    func request(_ media: MediaDevice.Media) async throws(CallManagerError) {
        do throws(DeviceError) {
            try await authorization.request(for: media == .camera ? .video : .audio)
        } catch {
            throw .deviceUnavailable(error)
        }
        guard !list.devices.contains(where: { $0.media == media }) else { return }
        if let failure = list.failure { throw .deviceUnavailable(failure) }
        throw .deviceUnavailable(DeviceError(.notFound, "no \(media.rawValue) is connected: plug one in"))
    }

    /// Reports all events of the devices to the delegate, until the task is cancelled.
    func follow(_ dispatcher: EventDispatcher) -> Task<Void, Never> {
        let feeds: [(MediaDevice.Media, AsyncStream<DeviceFeedEvent>?)] = [
            (.camera, camera.events()), (.microphone, microphone.events()),
            (.speaker, speaker?.events()),
        ]
        return Task {
            await withTaskGroup(of: Void.self) { group in
                for (media, events) in feeds {
                    guard let events else { continue }
                    group.addTask {
                        for await event in events { dispatcher.send(.device(event, of: media)) }
                    }
                }
            }
        }
    }
}

extension MediaSources {
    /// The sources and sinks, those that an app leaves out filled by the devices.
    func filled(by devices: MediaDevices) -> MediaSources {
        MediaSources(
            microphone: microphone ?? devices.microphone, camera: camera ?? devices.sentCamera,
            speaker: speaker ?? devices.speaker)
    }
}
