#if os(Linux)
    import Glibc
    import Synchronization
    import Testing

    @testable import RTCDevices

    @Suite("Zoom, focus and exposure by V4L2")
    struct V4L2ControlsTests {
        private final class Camera {
            var ranges: [V4L2Controls.Control: ClosedRange<Int32>] = [:]
            var written: [V4L2Controls.Control: Int32] = [:]
            var refuses: Int32?

            var controls: V4L2Controls {
                V4L2Controls(
                    range: { self.ranges[$0] },
                    write: { control, value in
                        if value == self.refuses { return 22 }
                        self.written[control] = value
                        return 0
                    })
            }
        }

        private let device = MediaDevice(id: "c", media: .camera, name: "C")

        @Test("A camera has what its node has")
        func controls() {
            let camera = Camera()
            #expect(camera.controls.controls == CameraControls())
            camera.ranges = [.zoom: 100...400, .focusIsAutomatic: 0...1, .focusPosition: 0...250, .exposureMode: 0...3]
            let controls = camera.controls.controls
            #expect(controls.zoom == 1...4)
            #expect(controls.focusModes == [.continuous, .locked])
            #expect(controls.exposureModes == [.continuous, .locked])
        }

        @Test("Settings are the node's values")
        func settings() throws {
            let camera = Camera()
            camera.ranges = [.zoom: 100...400, .focusIsAutomatic: 0...1, .focusPosition: 0...250, .exposureMode: 0...3]
            try camera.controls.set(.zoom(2.5), of: device)
            #expect(camera.written[.zoom] == 250)
            try camera.controls.set(.focus(.locked), of: device)
            try camera.controls.set(.lensPosition(0.2), of: device)
            #expect(camera.written[.focusIsAutomatic] == 0 && camera.written[.focusPosition] == 200)
            try camera.controls.set(.exposure(.locked), of: device)
            #expect(camera.written[.exposureMode] == 1)
            camera.refuses = 3
            try camera.controls.set(.exposure(.continuous), of: device)
            #expect(camera.written[.exposureMode] == 0)
        }

        @Test(
            "What a camera does not have is refused",
            arguments: [
                CameraSetting.zoom(5), .zoom(0.5), .zoom(.nan), .lensPosition(2), .lensPosition(.nan), .exposureBias(1),
                .focus(.once), .exposure(.locked), .focus(.continuous),
            ])
        func refusals(_ setting: CameraSetting) {
            let camera = Camera()
            camera.ranges = [.zoom: 100...400, .focusPosition: 0...10]
            let error = #expect(throws: DeviceError.self) { try camera.controls.set(setting, of: device) }
            #expect(error?.code == .unsupported)
        }

        @Test("A node that is none has no controls")
        func noNode() {
            #expect(V4L2Controls(node: "/nowhere/video0") == nil)
            #expect(V4L2Controls(node: "/dev/null")?.controls == CameraControls())
        }

        @Test("A node is asked once, until it is another one")
        func askedOnce() throws {
            let folder = try TemporaryFolder()
            let (path, asked) = (folder.path + "/video0", Asked())
            let known = KnownControls { _ in
                asked.count.add(1, ordering: .relaxed)
                return CameraControls(zoom: 1...2)
            }
            func plug() { close(open(path, O_CREAT | O_WRONLY, 0o600)) }
            #expect(known.controls(ofNode: path) == nil)
            plug()
            for _ in 0..<3 { #expect(known.controls(ofNode: path)?.zoom == 1...2) }
            #expect(asked.count.load(ordering: .relaxed) == 1)
            // The file system may give the new one the old one's number, but not its time.
            unlink(path)
            usleep(20_000)
            plug()
            #expect(known.controls(ofNode: path) != nil)
            #expect(asked.count.load(ordering: .relaxed) == 2)
        }

        private final class Asked: Sendable {
            let count = Atomic(0)
        }
    }
#endif
