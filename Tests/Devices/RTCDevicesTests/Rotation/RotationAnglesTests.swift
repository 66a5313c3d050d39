import RTCWire
import Synchronization
import Testing

@testable import RTCDevices

@Suite("How pictures are turned")
struct RotationAnglesTests {
    // MARK: The seed's table

    @Test("Portrait-only interface, back camera: the preview is always turned by 90°")
    func previewStays() {
        for device in DeviceOrientation.allCases {
            let angles = RotationAngles(for: Cameras.back, device: device, interface: .portrait)
            #expect(angles.preview == .clockwise90)
        }
    }

    @Test(
        "Back camera: what is captured is turned by 90° in portrait, and not in the sensor's native landscape",
        arguments: [
            (DeviceOrientation.portrait, VideoRotation.clockwise90), (.landscapeLeft, .none),
            (.portraitUpsideDown, .clockwise270), (.landscapeRight, .clockwise180),
        ])
    func capture(_ device: DeviceOrientation, _ expected: VideoRotation) {
        for interface in InterfaceOrientation.allCases {
            #expect(RotationAngles(for: Cameras.back, device: device, interface: interface).capture == expected)
        }
    }

    @Test(
        "Front camera: it sees the machine turn the other way round",
        arguments: [
            (DeviceOrientation.portrait, VideoRotation.clockwise90), (.landscapeLeft, .clockwise180),
            (.portraitUpsideDown, .clockwise270), (.landscapeRight, .none),
        ])
    func captureFront(_ device: DeviceOrientation, _ expected: VideoRotation) {
        #expect(RotationAngles(for: Cameras.front, device: device, interface: .portrait).capture == expected)
    }

    @Test("An external camera stays upright while the tablet and its interface turn")
    func external() {
        for device in DeviceOrientation.allCases {
            let interface = InterfaceOrientation.allCases.first { $0.rotation == device.rotation }
            let angles = RotationAngles(for: Cameras.display, device: device, interface: interface ?? .portrait)
            #expect(angles == RotationAngles(preview: .none, capture: .none))
            let apart = RotationAngles(for: Cameras.display, device: device, interface: nil)
            #expect(apart == RotationAngles(preview: .none, capture: .none))
        }
    }

    @Test("Where the interface turns with the machine, the preview is turned as what is captured is")
    func interfaceFollows() {
        for camera in [Cameras.front, Cameras.back, Cameras.display] {
            for interface in InterfaceOrientation.allCases {
                guard let device = DeviceOrientation.allCases.first(where: { $0.rotation == interface.rotation }) else {
                    continue
                }
                let angles = RotationAngles(for: camera, device: device, interface: interface)
                #expect(angles.preview == angles.capture)
            }
        }
    }

    @Test("An interface on a screen of its own shows every camera upright by what is captured")
    func ownScreen() {
        for device in DeviceOrientation.allCases {
            let angles = RotationAngles(for: Cameras.back, device: device, interface: nil)
            #expect(angles.preview == angles.capture)
        }
    }

    // MARK: By drawing

    /// A picture with its upper left corner marked, as where the mark lies: quarters clockwise from there.
    private static func turned(_ mark: Int, by rotation: VideoRotation) -> Int { (mark + Int(rotation.rawValue)) % 4 }
    /// Corners are numbered clockwise from the upper left.
    private static func mirrored(_ mark: Int) -> Int { [1, 0, 3, 2][mark] }

    @Test("In every case the preview is level as the person sees it, and so is what is captured")
    func level() {
        for mounting in VideoRotation.allCases {
            for position in [MediaDevice.Position.front, .back, .unspecified] {
                for device in VideoRotation.allCases {
                    for interface in VideoRotation.allCases.map(Optional.some) + [nil] {
                        for isMirrored in [false, true] {
                            let angles = RotationAngles(
                                mounting: mounting, position: position, device: device, interface: interface,
                                isMirrored: isMirrored)
                            // Where the scene's upper left corner lies in the sensor's picture.
                            let seenTurn: VideoRotation =
                                switch position {
                                case .back: VideoRotation.none - mounting - device
                                case .front: VideoRotation.none - mounting + device
                                case .unspecified: .none - mounting
                                }
                            let inSensor = Self.turned(0, by: seenTurn)
                            #expect(Self.turned(inSensor, by: angles.capture) == 0)
                            var shown = Self.turned(inSensor, by: angles.preview)
                            if isMirrored { shown = Self.mirrored(shown) }
                            // The screen itself is turned.
                            if let interface { shown = Self.turned(shown, by: device - interface) }
                            #expect(shown == (isMirrored ? 1 : 0))
                        }
                    }
                }
            }
        }
    }

    // MARK: Mirroring

    @Test("Previews of front and external cameras are mirrored by default, of back cameras not")
    func mirroring() {
        #expect(Cameras.front.isPreviewMirroredByDefault)
        #expect(Cameras.display.isPreviewMirroredByDefault)
        #expect(!Cameras.back.isPreviewMirroredByDefault)
    }

    @Test("What is captured is the same, mirrored preview or not")
    func neverMirrored() {
        for device in DeviceOrientation.allCases {
            let mirrored = RotationAngles(for: Cameras.front, device: device, interface: .portrait, isMirrored: true)
            let plain = RotationAngles(for: Cameras.front, device: device, interface: .portrait, isMirrored: false)
            #expect(mirrored.capture == plain.capture)
        }
    }

    // MARK: Stored

    @Test("Photos say it in Exif, as readers know it")
    func exif() {
        #expect(VideoRotation.allCases.map { ExifOrientation($0).rawValue } == [1, 6, 3, 8])
        #expect(VideoRotation.allCases.map { ExifOrientation($0, isMirrored: true).rawValue } == [2, 5, 4, 7])
    }

    @Test(
        "Any angle becomes a quarter turn", arguments: [(0.0, 0), (89, 90), (-90, 270), (450, 90), (359, 0), (.nan, 0)])
    func quarters(_ degrees: Double, _ expected: Int) {
        #expect(VideoRotation(nearestToDegrees: degrees).degrees == expected)
        #expect(VideoRotation(nearestToDegrees: .infinity) == .none)
        #expect(VideoRotation(nearestToDegrees: -1e300).degrees % 90 == 0)
    }
}

@Suite("Following a sensor")
struct SensorRotationTests {
    /// A sensor that is turned by hand.
    final class Sensor: OrientationBackend {
        private let report = Mutex<(@Sendable (DeviceOrientation) -> Void)?>(nil)
        private let started = Atomic(false)
        var isStarted: Bool { started.load(ordering: .relaxed) }

        func start(_ report: @escaping @Sendable (DeviceOrientation) -> Void) {
            self.report.withLock { $0 = report }
            started.store(true, ordering: .relaxed)
        }
        func stop() {
            report.withLock { $0 = nil }
            started.store(false, ordering: .relaxed)
        }
        func turn(_ orientation: DeviceOrientation) { report.withLock { $0 }?(orientation) }
    }

    @Test("Changes are told once each; a machine that is laid down stays as it was held")
    func follows() {
        let sensor = Sensor()
        let rotation = SensorRotation(for: Cameras.back, sensor: sensor, interface: .stays(.portrait))
        #expect(rotation.angles == RotationAngles(preview: .clockwise90, capture: .clockwise90))
        let told = Mutex<[RotationAngles]>([])
        rotation.start { angles in told.withLock { $0.append(angles) } }
        for orientation in [DeviceOrientation.portrait, .landscapeLeft, .faceUp, .unknown, .landscapeLeft, .portrait] {
            sensor.turn(orientation)
        }
        #expect(told.withLock { $0.map(\.capture) } == [.none, .clockwise90])
        #expect(told.withLock { $0.map(\.preview) } == [.clockwise90, .clockwise90])
        rotation.stop()
        #expect(!sensor.isStarted)
        sensor.turn(.portraitUpsideDown)
        #expect(told.withLock { $0.count } == 2)
    }

    @Test("The interface and the mirror change the preview, and nothing that is sent")
    func interface() {
        let sensor = Sensor()
        let rotation = SensorRotation(for: Cameras.front, sensor: sensor)
        let told = Mutex<[RotationAngles]>([])
        rotation.start { angles in told.withLock { $0.append(angles) } }
        sensor.turn(.landscapeRight)
        #expect(rotation.angles == RotationAngles(preview: .none, capture: .none))
        rotation.setInterface(.stays(.portrait))
        #expect(rotation.angles == RotationAngles(preview: .clockwise90, capture: .none))
        rotation.setMirrored(false)
        #expect(rotation.angles == RotationAngles(preview: .clockwise270, capture: .none))
        rotation.setInterface(.isApart)
        #expect(rotation.angles == RotationAngles(preview: .none, capture: .none))
        #expect(told.withLock { $0.count } == 4)
    }
}
