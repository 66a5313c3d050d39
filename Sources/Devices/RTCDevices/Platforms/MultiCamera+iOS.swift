#if os(iOS)
    import AVFoundation
    import Dispatch
    import Foundation
    public import RTCFrames
    import RTCWire

    /// Several cameras of an iPhone or iPad at once, in one session: the front and the back one, or an external one beside them.
    ///
    /// ```swift
    /// guard MultiCamera.isSupported else { … }
    /// let both = try await MultiCamera([front, back])
    /// let tracks = both.sources.map { VideoTrack(source: $0) }
    /// ```
    ///
    /// It has to be kept as long as one of its sources is used. The hardware has less for each than for one alone: formats become
    /// slower and smaller until all can run. A `CameraFeed` is not to be started meanwhile: the system gives a camera to one session.
    /// On a Mac and on Linux two feeds may be open at once.
    // Everything but `sources` is touched on the queue alone.
    public final class MultiCamera: @unchecked Sendable {
        /// Whether the hardware can.
        public static var isSupported: Bool { AVCaptureMultiCamSession.isMultiCamSupported }

        /// One of each camera, in their order. The session runs while one of them is started.
        public let sources: [any VideoSource]
        private let members: [MultiCameraMember]
        private let session = AVCaptureMultiCamSession()
        private let queue = DispatchQueue(label: "duet.devices.cameras", qos: .userInitiated)

        /// - Parameter request: The size and rate that are wanted of each.
        /// - Throws: ``DeviceError`` `unsupported` for cameras that do not go together, `disconnected`, `denied`, `busy` or `failed`.
        public init(_ cameras: [MediaDevice], request: CaptureRequest = .hd720) async throws(DeviceError) {
            guard Self.isSupported else { throw DeviceError(.unsupported, "this machine has one camera at a time") }
            try SystemCapture.requirePermission(for: .video)
            members = cameras.map { MultiCameraMember($0) }
            sources = members
            for member in members { member.onChange = { [weak self] in self?.follow() } }
            let result = await withCheckedContinuation { waiter in
                queue.async { waiter.resume(returning: self.setUp(request)) }
            }
            try result.get()
        }

        private func follow() {
            queue.async {
                let isWanted = self.members.contains(where: \.isStarted)
                guard isWanted != self.session.isRunning else { return }
                if isWanted { self.session.startRunning() } else { self.session.stopRunning() }
            }
        }

        private func setUp(_ request: CaptureRequest) -> Result<Void, DeviceError> {
            do throws(DeviceError) {
                var devices: [AVCaptureDevice] = []
                for member in members { devices.append(try member.found()) }
                let formats = devices.map { device in
                    device.formats.filter(\.isMultiCamSupported).map { FrameworkFormat.format($0) }
                }
                var plan = try MultiCameraPlan(request, formats: formats)
                session.beginConfiguration()
                for (member, device) in zip(members, devices) {
                    guard member.join(session, device, queue) else {
                        session.commitConfiguration()
                        throw DeviceError(.unsupported, "\(member.device.name) does not go with the others")
                    }
                }
                session.commitConfiguration()
                repeat {
                    for index in devices.indices { try members[index].use(plan.chosen[index], devices[index]) }
                    if session.hardwareCost <= 1 { return .success(()) }
                } while plan.reduce()
                throw DeviceError(.unsupported, "the hardware cannot run these cameras at once")
            } catch {
                return .failure(error)
            }
        }
    }
#endif
