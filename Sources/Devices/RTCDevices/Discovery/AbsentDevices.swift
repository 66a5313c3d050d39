import RTCWire

/// Devices that went with a service of the system, to be known again when they are back.
///
/// A person pulls out one thing, with all that is in its housing, and leaves the rest. Where all hardware of a service goes at once,
/// what makes its devices has gone: the service, or PipeWire's session manager alone. And what another service goes on to see was
/// pulled out by nobody. What programs make comes and goes as they like, and proves nothing.
struct AbsentDevices {
    /// How long a service may be away.
    static let absence = TimeDelta.seconds(60)
    /// Within this time goes what goes at once.
    static let burst = TimeDelta.milliseconds(500)
    /// More losses than this are not looked at.
    private static let limit = 256

    /// Services whose devices are all made by one program, sound cards among them, which are in nearly every machine.
    private enum Session {
        case pipeWire, pulseAudio

        init?(_ service: SeenDevice.Service) {
            switch service {
            case .pipeWire, .libcamera: self = .pipeWire
            case .pulseAudio: self = .pulseAudio
            default: return nil
            }
        }
    }

    private struct Loss {
        var device: MediaDevice
        var place: Int
        var session: Session
        var time: Instant
    }

    private struct Name: Hashable {
        var media: MediaDevice.Media
        var id: DeviceID

        init(_ device: MediaDevice) { (media, id) = (device.media, device.id) }
    }

    /// The latest ones.
    private var losses: [Loss] = []
    private var awaited: [Name: (place: Int, end: Instant)] = [:]

    /// A service has lost a device.
    ///
    /// - Parameter place: Where it stood in the list.
    mutating func noteLoss(of device: MediaDevice, place: Int, by service: SeenDevice.Service, at now: Instant) {
        losses.removeAll { $0.time + Self.burst < now }
        guard device.kind != .virtual, let session = Session(service), losses.count < Self.limit else { return }
        losses.append(Loss(device: device, place: place, session: session, time: now))
    }

    /// All that is lost by now is noted.
    ///
    /// - Parameter left: By which services hardware is still opened.
    mutating func judgeLosses(left: Set<SeenDevice.Service>, at now: Instant) {
        let alive = left.compactMap { Session($0) }
        let gone = losses.filter { $0.time + Self.burst >= now && !alive.contains($0.session) }
        for session in Set(gone.map(\.session)) {
            let lost = gone.filter { $0.session == session }
            guard Set(lost.map { $0.device.group ?? $0.device.id.rawValue }).count > 1 else { continue }
            for loss in lost { expect(loss.device, place: loss.place, at: now) }
        }
    }

    /// It was pulled out by nobody, and may be back with its service.
    mutating func expect(_ device: MediaDevice, place: Int, at now: Instant) {
        awaited = awaited.filter { $0.value.end > now }
        awaited[Name(device)] = (place, now + Self.absence)
    }

    /// A device has come.
    ///
    /// - Returns: Its old place, if it is back with its service; `nil` if it was plugged in.
    mutating func takeBack(_ device: MediaDevice, at now: Instant) -> Int? {
        guard let absent = awaited.removeValue(forKey: Name(device)), absent.end > now else { return nil }
        return absent.place
    }
}
