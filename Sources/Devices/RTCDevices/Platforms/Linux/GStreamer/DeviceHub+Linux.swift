#if os(Linux)
    import Glibc
    import RTCWire
    import Synchronization

    /// Watches the devices of this machine for all observers, on one thread that runs while there are any.
    ///
    /// PipeWire and PulseAudio may restart: a connection to each shows when it has ended, and the hub then tries to
    /// reconnect until it is back.
    final class DeviceHub: Sendable {
        typealias Report = @Sendable (DiscoveryReport) -> Void

        /// The instance of this process: GStreamer has one provider of each kind.
        static let shared = DeviceHub()

        private struct State {
            var observers: [Int: Report] = [:]
            /// Observers that have not received their first report.
            var newObservers: [Int: ThreadGate] = [:]
            var next = 0
            var isRunning = false
            /// The pipe that wakes the thread.
            var wake: (read: Int32, write: Int32)?
            /// All connected devices, by handle.
            var present: [String: SeenDevice] = [:]
        }

        private let state = Mutex(State())

        /// Reports a snapshot before it returns, unless that takes more than some seconds, and all later changes, on
        /// one thread.
        ///
        /// - Returns: The number to pass to ``remove(_:)``.
        /// - Throws: ``DeviceError`` `unavailable` without GStreamer.
        func add(_ report: @escaping Report) throws(DeviceError) -> Int {
            let gst = try GStreamerLibrary.shared.get()
            let gate = ThreadGate()
            let (number, mustStart): (Int, Bool) = state.withLock { state in
                state.next += 1
                state.observers[state.next] = report
                state.newObservers[state.next] = gate
                if state.wake == nil { state.wake = Self.makePipe() }
                defer { state.isRunning = true }
                return (state.next, !state.isRunning)
            }
            if !mustStart {
                wake()
            } else if !MediaThread.start("duet-devices", { [self] in DeviceHubThread(gst).run(self) }) {
                state.withLock { state in
                    (state.observers[number], state.newObservers[number]) = (nil, nil)
                    state.isRunning = false
                }
                throw MediaThread.refusal
            }
            gate.wait(.seconds(5))
            return number
        }

        /// Ends the reports, except for one that is being delivered.
        func remove(_ number: Int) {
            state.withLock { state in
                state.observers[number] = nil
                state.newObservers[number] = nil
            }
            wake()
        }

        /// The connected device with this handle.
        func device(_ handle: String) -> SeenDevice? { state.withLock { $0.present[handle] } }

        private func wake() {
            guard let pipe = state.withLock({ $0.wake }) else { return }
            var byte: UInt8 = 1
            _ = write(pipe.write, &byte, 1)
        }

        private static func makePipe() -> (read: Int32, write: Int32)? {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { return nil }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            return (ends[0], ends[1])
        }

        // MARK: Used by the thread

        fileprivate var wakeDescriptor: Int32 { state.withLock { $0.wake?.read ?? -1 } }

        fileprivate var hasObservers: Bool { state.withLock { !$0.observers.isEmpty } }

        /// - Returns: False if an observer was added in the meantime.
        fileprivate func end() -> Bool {
            state.withLock { state in
                guard state.observers.isEmpty else { return false }
                state.isRunning = false
                return true
            }
        }

        /// Reports the current devices to new observers.
        fileprivate func reportToNewObservers(with devices: () -> [SeenDevice]) {
            let newObservers = state.withLock { state in
                defer { state.newObservers = [:] }
                return state.newObservers.map { (state.observers[$0.key], $0.value) }
            }
            guard !newObservers.isEmpty else { return }
            let devices = devices()
            state.withLock { $0.present = Self.byHandle(devices) }
            for (observer, gate) in newObservers {
                observer?(.snapshot(devices))
                gate.open()
            }
        }

        private static func byHandle(_ devices: [SeenDevice]) -> [String: SeenDevice] {
            Dictionary(devices.map { ($0.handle, $0) }, uniquingKeysWith: { first, _ in first })
        }

        fileprivate func tell(_ report: DiscoveryReport) {
            let observers = state.withLock { state in
                switch report {
                case .snapshot(let devices): state.present = Self.byHandle(devices)
                case .seen(let device): state.present[device.handle] = device
                case .gone(_, let handle): state.present[handle] = nil
                case .lost: state.present = [:]
                }
                return state.observers.filter { state.newObservers[$0.key] == nil }.sorted { $0.key < $1.key }.map(
                    \.value)
            }
            for observer in observers { observer(report) }
        }
    }

    /// The state of the hub's thread.
    private final class DeviceHubThread {
        private final class Service {
            let service: SeenDevice.Service
            /// Connects to the server.
            let connect: () -> ServerWatch?
            let needsServer: Bool
            /// The lifetime of a connection, if the server closes idle ones.
            let patience: TimeDelta?
            var watch: ServerWatch?
            /// When the connection has to be replaced.
            var renewal: Instant?
            var provider: DeviceProvider?
            /// The provider and connection of a server that has ended, until they may be stopped.
            var ending: (provider: DeviceProvider?, watch: ServerWatch?, end: Instant)?
            var devices: [String: SeenDevice] = [:]
            var isOld = false

            init(
                _ service: SeenDevice.Service, needsServer: Bool, patience: TimeDelta? = nil,
                connect: @escaping () -> ServerWatch?
            ) {
                self.service = service
                self.needsServer = needsServer
                self.patience = patience
                self.connect = connect
            }

            /// - Returns: False if no server accepts the connection.
            func watchServer() -> Bool {
                guard let watch = connect() else { return false }
                self.watch = watch
                renewal = patience.map { .now + $0 }
                return true
            }
        }

        private let gst: GStreamerLibrary
        /// How long the thread continues without observers, since a new one often follows soon.
        private static let idleTimeout = TimeDelta.seconds(3)
        private var generation = 0
        private var services: [Service]
        /// When a server last ended, or when the thread began.
        private var searchStart = Instant.now

        init(_ gst: GStreamerLibrary) {
            self.gst = gst
            services = [
                Service(.pipeWire, needsServer: true) { ServerWatch.pipeWire() },
                // PulseAudio closes a connection that does not authenticate within a minute.
                Service(.pulseAudio, needsServer: true, patience: .seconds(30)) { ServerWatch.pulseAudio() },
                Service(.v4l2, needsServer: false) { nil },
            ]
        }

        func run(_ hub: DeviceHub) {
            var lastSeen = Instant.now
            for service in services { _ = start(service) }
            while true {
                hub.reportToNewObservers { devices }
                if hub.hasObservers {
                    lastSeen = Instant.now
                } else if Instant.now - lastSeen > Self.idleTimeout {
                    // Without observers, stopping the providers also ends GStreamer's threads and connections.
                    if services.contains(where: { $0.ending != nil }) {
                        wait(hub)
                        continue
                    }
                    services.forEach { stop($0) }
                    if hub.end() { return }
                    services.forEach { _ = start($0) }
                    hub.tell(snapshot)
                }
                wait(hub)
                var isOtherwise = false
                for service in services {
                    if let ending = service.ending, Instant.now >= ending.end { service.ending = nil }
                    if let watch = service.watch, !watch.isAlive {
                        lose(service)
                        searchStart = Instant.now
                        isOtherwise = true
                    } else if let renewal = service.renewal, Instant.now >= renewal, !service.watchServer() {
                        service.renewal = .now + .seconds(1)
                    }
                    if service.provider == nil, service.ending == nil, start(service) { isOtherwise = true }
                }
                if isOtherwise { hub.tell(snapshot) }
                for service in services { readEvents(of: service, hub) }
            }
        }

        private var snapshot: DiscoveryReport {
            let devices = self.devices
            if devices.isEmpty, services.allSatisfy({ !$0.needsServer || $0.provider == nil }) {
                return .lost(
                    DeviceError(
                        .unavailable,
                        "no PipeWire and no PulseAudio server answers, and there is no camera at /dev/video*; devices are seen when one of them is there"
                    ))
            }
            return .snapshot(devices)
        }

        private var devices: [SeenDevice] {
            services.flatMap { $0.devices.values }.sorted { ($0.service, $0.handle) < ($1.service, $1.handle) }
        }

        /// - Returns: Whether the service was started by this call.
        private func start(_ service: Service) -> Bool {
            if service.needsServer {
                guard service.watchServer() else { return false }
            } else if service.isOld {
                return false
            }
            service.isOld = true
            generation += 1
            guard let provider = DeviceProvider(service.service, generation: generation, service.watch, gst) else {
                (service.watch, service.renewal) = (nil, nil)
                return false
            }
            service.provider = provider
            service.devices = [:]
            for case let device? in provider.devices().map({ $0.seen() }) { service.devices[device.handle] = device }
            return true
        }

        /// Handles the end of the server. GStreamer's provider notices it on its own thread, and must not be stopped
        /// before: it would use freed memory.
        private func lose(_ service: Service) {
            service.ending = (service.provider, service.watch, .now + .milliseconds(300))
            stop(service)
        }

        private func stop(_ service: Service) {
            service.provider = nil
            (service.watch, service.renewal) = (nil, nil)
            service.devices = [:]
            if !service.needsServer { service.isOld = false }
        }

        private func readEvents(of service: Service, _ hub: DeviceHub) {
            while let event = service.provider?.nextEvent() {
                switch event {
                case .seen(let description):
                    guard let device = description.seen(), service.devices[device.handle] != device else { continue }
                    service.devices[device.handle] = device
                    hub.tell(.seen(device))
                case .gone(let description):
                    guard let seen = description.seen(),
                        let device = service.devices.removeValue(forKey: seen.handle)
                    else { continue }
                    hub.tell(.gone(service: device.service, handle: device.handle))
                }
            }
        }

        /// Waits for an event, or until it is time to look for a server again.
        private func wait(_ hub: DeviceHub) {
            var descriptors = [pollfd(fd: hub.wakeDescriptor, events: Int16(POLLIN), revents: 0)]
            for service in services {
                if let provider = service.provider {
                    descriptors.append(pollfd(fd: provider.descriptor, events: Int16(POLLIN), revents: 0))
                }
                // Only the end of the connection matters, which `poll` always reports.
                if let watch = service.watch {
                    descriptors.append(pollfd(fd: watch.descriptor, events: 0, revents: 0))
                }
            }
            var patience: Int32 = hub.hasObservers ? -1 : 500
            if services.contains(where: { $0.needsServer && $0.provider == nil }) {
                // A server that has ended is often back soon.
                patience = Instant.now - searchStart < .seconds(30) ? 50 : 500
            }
            for case let renewal? in services.map(\.renewal) {
                let rest = Int32(clamping: max(0, (renewal - .now).milliseconds) + 1)
                patience = patience < 0 ? rest : min(patience, rest)
            }
            _ = poll(&descriptors, nfds_t(descriptors.count), patience)
            if descriptors[0].revents != 0 {
                var bytes = [UInt8](repeating: 0, count: 64)
                while read(descriptors[0].fd, &bytes, bytes.count) > 0 {}
            }
        }
    }
#endif
