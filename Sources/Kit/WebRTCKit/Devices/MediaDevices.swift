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
/// Another camera, microphone or loudspeaker in mid-call needs no offer: its pictures or sound take the place of the former
/// one's, and nothing comes that is older than the choice. When a device is unplugged or fails, the next one takes over, and
/// ``CallManagerDelegate/mediaDeviceDidChange(_:of:)`` tells. Without any camera the other side sees black, and the call goes on
/// with sound; a camera that is plugged in then is used at once.
///
/// Pictures carry the angle by which the other side turns them, and are never mirrored. Devices are open while something needs
/// them.
public final class MediaDevices: Sendable {
    /// All that are connected.
    public let list: DeviceList
    /// Which camera is used, and what a button that switches does. Choose here, at any time.
    public let cameras: CameraSelector
    /// The camera that is used.
    public let camera: CameraFeed
    /// The microphone that is used. Choose here, at any time.
    public let microphone: MicrophoneFeed
    /// The loudspeaker that is used; choose here, at any time. `nil` where the system alone decides, as on Apple's platforms.
    public let speaker: SpeakerFeed?
    /// Whether the person lets the app use them.
    public let authorization: MediaAuthorization

    /// The camera as it is sent: black while there is none.
    let sentCamera: CoveredCamera

    /// Begins to look for devices. Nobody is asked, and none is opened, before one is needed.
    ///
    /// - Parameters:
    ///   - policy: How the app deals with several cameras.
    ///   - store: Where a person's choice of camera is remembered; nowhere, if left out.
    ///   - request: The size and rate that are wanted of cameras.
    ///   - processing: What is done to the microphone's sound.
    ///   - system: What of a machine there is; this machine, if left out.
    /// - Throws: `DeviceError` `unavailable`: there is nothing on this machine that could see devices.
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
        sentCamera = CoveredCamera(camera)
    }

    /// The microphone in the housing of the camera in use, if it has one. It is the first that `MicrophoneChoice.list` offers, and
    /// the first that takes over when the one in use fails.
    public var microphoneOfCamera: MediaDevice? { cameras.choice.current.flatMap(microphone.choice.microphone(of:)) }
}

extension MediaDevices {
    /// Returns when a device may be used.
    ///
    /// - Throws: ``CallManagerError/deviceUnavailable(_:)`` where there is none, or the person does not allow it, with what to do
    ///   about it.
    func request(_ media: MediaDevice.Media) async throws(CallManagerError) {
        do throws(DeviceError) {
            try await authorization.request(for: media == .camera ? .video : .audio)
        } catch {
            throw .deviceUnavailable(error.message)
        }
        guard !list.devices.contains(where: { $0.media == media }) else { return }
        if let failure = list.failure { throw .deviceUnavailable(failure.message) }
        throw .deviceUnavailable("no \(media.rawValue) is connected: plug one in")
    }

    /// Tells the delegate of everything that happens to the devices from now on, until the task is cancelled.
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
    /// With what an app names neither a source nor a sink for.
    func filled(by devices: MediaDevices) -> MediaSources {
        MediaSources(
            microphone: microphone ?? devices.microphone, camera: camera ?? devices.sentCamera,
            speaker: speaker ?? devices.speaker)
    }
}
