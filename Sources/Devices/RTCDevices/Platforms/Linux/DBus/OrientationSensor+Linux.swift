#if os(Linux)
    import RTCWire
    import Synchronization

    /// The orientation of the machine, from `net.hadess.SensorProxy` on the system bus.
    package final class OrientationSensor: OrientationBackend {
        private let session = Mutex<Session?>(nil)

        package init() {}

        /// Asks the sensor on a thread of its own, since the bus may be slow.
        package func start(_ report: @escaping @Sendable (DeviceOrientation) -> Void) {
            let session = Session(report)
            let old = self.session.withLock { current in
                defer { current = session }
                return current
            }
            old?.end()
            MediaThread.start("duet-sensor") { session.begin() }
        }

        package func stop() {
            let old = session.withLock { current in
                defer { current = nil }
                return current
            }
            old?.end()
        }

        deinit { stop() }

        /// Converts the sensor's names of orientations.
        static func orientation(_ text: String) -> DeviceOrientation {
            switch text {
            case "normal": .portrait
            case "bottom-up": .portraitUpsideDown
            // The left edge is up: the top points to the right.
            case "left-up": .landscapeRight
            case "right-up": .landscapeLeft
            default: .unknown
            }
        }

        /// The state from one start to its end.
        private final class Session: Sendable {
            private struct State {
                var bus: MessageBus?
                var isOver = false
                var last: DeviceOrientation?
            }

            private let report: @Sendable (DeviceOrientation) -> Void
            private let state = Mutex(State())
            private static let name = "net.hadess.SensorProxy"
            private static let path = "/net/hadess/SensorProxy"

            init(_ report: @escaping @Sendable (DeviceOrientation) -> Void) { self.report = report }

            func begin() {
                guard let bus = try? MessageBus.system() else { return }
                let mayGoOn = state.withLock { state in
                    if !state.isOver { state.bus = bus }
                    return !state.isOver
                }
                guard mayGoOn else { return }
                let rule = "type='signal',sender='\(Self.name)',path='\(Self.path)',member='PropertiesChanged'"
                _ = try? bus.listen(rule) { [weak self] signal in
                    guard signal.member == "PropertiesChanged", signal.path == Self.path,
                        let text = signal.body?[1]?["AccelerometerOrientation"]?.text
                    else { return }
                    self?.tell(text)
                }
                // A sensor that appears later acquires its name, and has to be claimed again.
                _ = try? bus.listen("type='signal',member='NameOwnerChanged',arg0='\(Self.name)'") {
                    [weak self] signal in
                    guard signal.member == "NameOwnerChanged", signal.body?[0]?.text == Self.name,
                        signal.body?[2]?.text?.isEmpty == false
                    else { return }
                    guard let self else { return }
                    MediaThread.start("duet-sensor") { self.claim() }
                }
                claim()
            }

            private func claim() {
                guard let bus = state.withLock({ $0.isOver ? nil : $0.bus }) else { return }
                _ = try? bus.call(Self.name, Self.path, Self.name, "ClaimAccelerometer", timeout: .seconds(5))
                let value = try? bus.call(
                    Self.name, Self.path, "org.freedesktop.DBus.Properties", "Get",
                    "('\(Self.name)', 'AccelerometerOrientation')", timeout: .seconds(5))
                if let text = value?[0]?.content?.text { tell(text) }
            }

            private func tell(_ text: String) {
                let orientation = OrientationSensor.orientation(text)
                state.withLock { state in
                    guard !state.isOver, state.last != orientation else { return }
                    state.last = orientation
                    report(orientation)
                }
            }

            func end() {
                let bus = state.withLock { state in
                    state.isOver = true
                    defer { state.bus = nil }
                    return state.bus
                }
                // Closing the connection releases the sensor, which may take a while.
                if let bus { MediaThread.start("duet-sensor") { withExtendedLifetime(bus) {} } }
            }
        }
    }
#endif
