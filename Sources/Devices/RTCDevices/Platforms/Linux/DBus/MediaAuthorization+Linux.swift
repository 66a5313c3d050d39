#if os(Linux)
    import Glibc
    package import RTCWire
    import Synchronization

    /// Decides who may use cameras and microphones on Linux: for cameras the portal, if there is one; otherwise the
    /// user's permissions to open devices. There is no portal for microphones.
    package final class LinuxAuthorization: MediaAuthorizationBackend {
        /// The instance of this process, whose permission also opens the portal's cameras.
        static let shared = LinuxAuthorization()

        private struct State {
            var portal: CameraPortal?
            /// When the portal was last searched for; an hour in the future if it has no camera interface.
            var lookedAt: Instant?
            /// The person's answer to this process.
            var answer: MediaAuthorization.Status?
            var look: (@Sendable () -> Void)?
        }

        private let state = Mutex(State())
        private let access: DeviceAccess
        /// The longest wait for the person's answer.
        private let patience: TimeDelta

        package convenience init(patience: TimeDelta) { self.init(access: DeviceAccess(), patience: patience) }

        init(access: DeviceAccess = DeviceAccess(), patience: TimeDelta = .seconds(120)) {
            self.access = access
            self.patience = patience
        }

        package func status(for subject: MediaAuthorization.Subject) -> MediaAuthorization.Status {
            switch subject {
            case .video: portal == nil ? status(access.video()) : state.withLock { $0.answer } ?? .notDetermined
            case .audio: status(access.audio())
            case .photoLibraryAdditions: .authorized
            }
        }

        private func status(_ finding: DeviceAccess.Finding) -> MediaAuthorization.Status {
            switch finding {
            case .allowed: .authorized
            case .forbidden: .denied
            case .nothing: .restricted
            }
        }

        package func request(
            for subject: MediaAuthorization.Subject
        ) async throws(DeviceError) -> MediaAuthorization.Status {
            guard subject == .video, let portal else { return status(for: subject) }
            return try await GStreamerCapture.onThread { [self] () throws(DeviceError) in try ask(portal) }
        }

        package func refusal(_ status: MediaAuthorization.Status, of subject: MediaAuthorization.Subject) -> DeviceError
        {
            let what = subject == .audio ? "microphone" : "camera"
            switch subject == .audio ? access.audio() : access.video() {
            case _ where subject == .video && state.withLock({ $0.answer }) == .denied:
                return DeviceError(
                    .denied,
                    "the desktop's portal was told that this app may not use the camera; change it in the system's settings (Privacy, Camera), or take all answers back with: flatpak permission-reset \(Self.applicationID)"
                )
            case .forbidden(let reason): return DeviceError(.denied, "no \(what) may be used: \(reason)")
            case .nothing(let reason): return DeviceError(.restricted, "no \(what) can be used: \(reason)")
            case .allowed: return DeviceError(.denied, "no \(what) may be used")
            }
        }

        package func observe(_ look: @escaping @Sendable () -> Void) {
            state.withLock { $0.look = look }
            _ = portal
        }

        /// A PipeWire connection with the portal's cameras, if the person has allowed it.
        func portalConnection() -> ServerWatch? {
            guard state.withLock({ $0.answer }) == .authorized, let portal,
                let descriptor = try? portal.openPipeWireRemote()
            else { return nil }
            return ServerWatch(taking: descriptor)
        }

        private func ask(_ portal: CameraPortal) throws(DeviceError) -> MediaAuthorization.Status {
            do {
                guard try portal.isCameraPresent() != false else {
                    throw DeviceError(.notFound, "the desktop's portal knows of no camera on this machine")
                }
            } catch let error as DeviceError {
                throw error
            } catch {
                // A portal without this property may still be able to ask.
            }
            switch portal.access(timeout: patience) {
            case .granted: return remember(.authorized)
            case .refused: return remember(.denied)
            case .absent:
                // The portal has no camera interface: the user's permissions decide.
                forget()
                return status(access.video())
            case .dismissed:
                throw DeviceError(.unanswered, "the question for the camera was closed without an answer; ask again")
            case .silence:
                throw DeviceError(
                    .unanswered,
                    "the desktop's portal was asked for the camera, and did not answer within \(patience.milliseconds / 1_000) s; see whether a dialog waits behind a window, or restart xdg-desktop-portal"
                )
            }
        }

        private func remember(_ answer: MediaAuthorization.Status) -> MediaAuthorization.Status {
            state.withLock { $0.answer = answer }
            return answer
        }

        private func forget() {
            let old = state.withLock { state in
                state.lookedAt = .now + .seconds(3_600)
                defer { state.portal = nil }
                return state.portal
            }
            Self.letGo(old)
        }

        /// Releases a portal on another thread. Releasing the last reference waits for GIO's thread, which may wait for
        /// the lock of this object or be the current thread.
        private static func letGo(_ portal: CameraPortal?) {
            if let portal { MediaThread.start("duet-portal") { withExtendedLifetime(portal) {} } }
        }

        /// Searched for at most once a second.
        private var portal: CameraPortal? {
            let (known, old, mustLook) = state.withLock { state -> (CameraPortal?, CameraPortal?, Bool) in
                if let portal = state.portal, portal.isAlive { return (portal, nil, false) }
                let old = state.portal
                state.portal = nil
                if let time = state.lookedAt, Instant.now - time < .seconds(1) { return (nil, old, false) }
                state.lookedAt = .now
                return (nil, old, true)
            }
            Self.letGo(old)
            guard mustLook else { return known }
            guard let found = CameraPortal() else { return nil }
            found.observe { [weak self] in
                // Uses another thread: `look` may call the bus, which must not block GIO's thread.
                guard let look = self?.state.withLock({ $0.look }) else { return }
                MediaThread.start("duet-portal", look)
            }
            let replaced = state.withLock { state in
                defer { state.portal = found }
                return state.portal
            }
            Self.letGo(replaced)
            return found
        }

        /// The portal's name of this app.
        private static var applicationID: String {
            getenv("FLATPAK_ID").map { String(cString: $0) } ?? "APP"
        }
    }
#endif
