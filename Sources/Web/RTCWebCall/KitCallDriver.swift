public import WebRTCKit

/// Makes the calls of a page with a `WebRTCController`.
///
/// An app with `SystemCalls` writes a ``WebCallDriver`` of its own, which starts, answers, ends and mutes calls with that: the audio of a
/// call that the system does not know stays off.
public final class KitCallDriver: WebCallDriver {
    private let controller: WebRTCController

    /// Creates a driver.
    ///
    /// - Parameter controller: The controller, which is set up and records the media to send.
    public init(_ controller: WebRTCController) {
        self.controller = controller
    }

    public func call(_ peer: String) async throws { try await controller.sendCallRequest(to: peer) }
    public func answer(accept: Bool) async throws { try await controller.answerCallRequest(accept: accept) }
    public func hangUp() async throws { try await controller.endCall() }

    public func setMuted(_ track: WebCallTrack, _ isMuted: Bool) async throws {
        // Muting a track that does not exist yet is an error, so that the page does not take it for muted.
        switch track {
        case .microphone:
            guard let track = await controller.localAudioTrack else {
                throw CallManagerError.deviceUnavailable(DeviceError(.notFound, "no microphone is used"))
            }
            track.isEnabled = !isMuted
        case .camera:
            guard let track = await controller.localVideoTrack else {
                throw CallManagerError.deviceUnavailable(DeviceError(.notFound, "no camera is used"))
            }
            track.isEnabled = !isMuted
        }
    }

    public func statistics() async throws -> WebCallStatistics {
        let transport = try await controller.statistics().transport
        return WebCallStatistics(
            packetsSent: UInt64(clamping: transport.packetsSent),
            packetsReceived: UInt64(clamping: transport.packetsReceived),
            bytesSent: UInt64(clamping: transport.bytesSent), bytesReceived: UInt64(clamping: transport.bytesReceived))
    }
}

extension WebCallEvent {
    /// Creates the event that a page receives for an event of a controller; `nil` if it receives none.
    package init?(_ event: WebRTCController.Event) {
        guard case .call(let call, let change) = event else { return nil }
        switch change {
        case .began where call.direction == .incoming: self = .incoming(peer: call.peer.id)
        case .ringing: self = .ringing
        case .connected: self = .started
        case .connectionLost: self = .connectionLost
        case .connectionRestored: self = .connectionRestored
        case .quality:
            guard let quality = call.quality else { return nil }
            self = .quality(
                WebCallQuality(quality.level), limit: quality.reason.flatMap { WebCallLimit(rawValue: $0.rawValue) })
        case .ended:
            let reason = call.outcome?.error.map { String(describing: $0) }
            self = .ended(
                reason: reason, ending: call.outcome.flatMap { WebCallEnding(rawValue: CallEnding($0).rawValue) })
        default: return nil
        }
    }
}

extension WebCallQuality {
    init(_ level: CallQuality.Level) {
        self =
            switch level {
            case .bad: .bad
            case .poor: .poor
            case .fair: .fair
            case .good: .good
            case .excellent: .excellent
            }
    }
}
