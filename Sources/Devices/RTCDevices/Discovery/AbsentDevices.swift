import RTCWire

/// Devices that disappeared together with a service of the system, and are recognised when they return.
///
/// A person unplugs one thing, with all devices in its housing, and leaves the rest. If all hardware of a service
/// disappears at once, the program that provides it has ended: the service itself, or only PipeWire's session manager.
/// A device that another service still reports was not unplugged either. Virtual devices come and go at any time, and
/// prove nothing.
struct AbsentDevices {
    /// The longest absence of a service.
    static let absence = TimeDelta.seconds(60)
    /// Losses within this time count as simultaneous.
    static let burst = TimeDelta.milliseconds(500)
    /// Further losses are ignored.
    private static let limit = 256

    /// Services whose devices are all provided by one program. These include sound cards, which nearly every machine
    /// has.
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

    /// The losses within ``burst``.
    private var losses: [Loss] = []
    private var awaited: [Name: (place: Int, end: Instant)] = [:]

    /// Notes that a service has lost a device.
    ///
    /// - Parameter place: The device's place in the list.
    mutating func noteLoss(of device: MediaDevice, place: Int, by service: SeenDevice.Service, at now: Instant) {
        losses.removeAll { $0.time + Self.burst < now }
        guard device.kind != .virtual, let session = Session(service), losses.count < Self.limit else { return }
        losses.append(Loss(device: device, place: place, session: session, time: now))
    }

    /// Judges the losses, after all current ones are noted.
    ///
    /// - Parameter left: The services that still open hardware.
    mutating func evaluateLosses(left: Set<SeenDevice.Service>, at now: Instant) {
        let alive = left.compactMap { Session($0) }
        let gone = losses.filter { $0.time + Self.burst >= now && !alive.contains($0.session) }
        for session in Set(gone.map(\.session)) {
            let lost = gone.filter { $0.session == session }
            guard Set(lost.map { $0.device.group ?? $0.device.id.rawValue }).count > 1 else { continue }
            for loss in lost { expect(loss.device, place: loss.place, at: now) }
        }
    }

    /// Expects a device to return with its service, since nobody unplugged it.
    mutating func expect(_ device: MediaDevice, place: Int, at now: Instant) {
        awaited = awaited.filter { $0.value.end > now }
        awaited[Name(device)] = (place, now + Self.absence)
    }

    /// Checks whether a new device has returned.
    ///
    /// - Returns: Its old place, if it returned with its service; `nil` if it was plugged in.
    mutating func takeReturned(_ device: MediaDevice, at now: Instant) -> Int? {
        guard let absent = awaited.removeValue(forKey: Name(device)), absent.end > now else { return nil }
        return absent.place
    }
}
