#if os(Linux)
    import Foundation
    import RTCWire
    import Testing

    @testable import RTCDevices

    @Suite("What is made of a device's description")
    struct DeviceDescriptionTests {
        private func description(
            _ service: SeenDevice.Service, _ deviceClass: String, _ properties: [String: String],
            name: String = "Thing",
            root: String = "/nowhere"
        ) -> DeviceDescription {
            DeviceDescription(
                service: service, generation: 7, name: name, deviceClass: deviceClass,
                caps: "video/x-raw, format=(string)YUY2, width=(int)640, height=(int)480, framerate=(fraction)30/1",
                properties: properties, internalName: service == .pulseAudio ? properties["node.name"] : nil, root: root
            )
        }

        @Test("libcamera's camera has its place and its mounting, which libcamera counts the other way round")
        func libcamera() throws {
            let device = try #require(
                description(
                    .pipeWire, "Video/Source",
                    [
                        "node.name": "libcamera_input.1", "object.serial": "41", "device.api": "libcamera",
                        "api.libcamera.location": "back", "api.libcamera.rotation": "90", "media.role": "Camera",
                    ]
                ).seen())
            #expect(device.service == .libcamera)
            #expect((device.kind, device.position, device.mounting) == (.builtIn, .back, .clockwise270))
            #expect((device.handle, device.stableID) == ("pipewire:7.41", "libcamera_input.1"))
        }

        @Test("What PipeWire and V4L2 see of one camera has the same node")
        func sameNode() throws {
            let one = description(
                .pipeWire, "Video/Source",
                [
                    "node.name": "v4l2_input.1", "object.serial": "4", "api.v4l2.path": "/dev/video0",
                    "device.api": "v4l2",
                ]
            ).seen()
            let other = description(.v4l2, "Video/Source", ["device.path": "/dev/video0"]).seen()
            #expect(one?.hardware == "/dev/video0" && other?.hardware == "/dev/video0")
            #expect(one?.kind == .external && other?.kind == .external)
        }

        @Test("A camera whose node cannot be opened is not ready, unless it is PipeWire that opens it")
        func ready() {
            var camera = description(.v4l2, "Video/Source", ["device.path": "/dev/video0"])
            camera.controls = { $0 == "/dev/video0" ? CameraControls(zoom: 1...2) : nil }
            #expect(camera.seen()?.isReady == true && camera.seen()?.controls.zoom == 1...2)
            camera.controls = { _ in nil }
            #expect(camera.seen()?.isReady == false && camera.seen()?.controls == CameraControls())
            var node = description(
                .pipeWire, "Video/Source",
                [
                    "node.name": "v4l2_input.1", "object.serial": "4", "api.v4l2.path": "/dev/video0",
                    "device.api": "v4l2",
                ])
            node.controls = { _ in nil }
            #expect(node.seen()?.isReady == true)
        }

        @Test("Screens, streams of programs and things without a name are no devices")
        func others() {
            #expect(
                description(.pipeWire, "Video/Source", ["node.name": "screen", "media.role": "Screen"]).seen() == nil)
            #expect(description(.pipeWire, "Stream/Input/Video", ["node.name": "reader"]).seen() == nil)
            #expect(description(.pipeWire, "Video/Source", [:]).seen() == nil)
        }

        @Test("What a loudspeaker plays says so, and a program's microphone is virtual")
        func sound() {
            let monitor = description(
                .pulseAudio, "Audio/Source", ["node.name": "speaker.monitor", "device.class": "monitor"]
            ).seen()
            #expect(monitor?.isMonitor == true)
            let null = description(
                .pipeWire, "Audio/Source/Virtual", ["node.name": "null", "object.serial": "3"]
            ).seen()
            #expect((null?.media, null?.kind) == (.microphone, .virtual))
            let card = description(
                .pulseAudio, "Audio/Source",
                ["node.name": "alsa_input.pci", "device.api": "alsa", "device.bus": "pci"]
            ).seen()
            #expect((card?.kind, card?.handle) == (.builtIn, "pulse:source:alsa_input.pci"))
        }

        @Test(
            "The name of an infrared camera gives it away",
            arguments: ["Integrated IR Camera", "Infrared", "Camera (IR)"])
        func infrared(_ name: String) {
            #expect(
                description(.v4l2, "Video/Source", ["device.path": "/dev/video2"], name: name).seen()?.isInfrared
                    == true)
        }

        @Test("A name that only has the letters is no infrared camera's", arguments: ["Iris", "Mirror", "AIR cam"])
        func visible(_ name: String) {
            #expect(
                description(.v4l2, "Video/Source", ["device.path": "/dev/video2"], name: name).seen()?.isInfrared
                    == false)
        }

        @Test("A camera and the microphone in it hang at the same place, and the kernel knows what can be pulled out")
        func places() throws {
            let root = FileManager.default.temporaryDirectory.appendingPathComponent(
                "duet-sys-\(UInt64.random(in: 0 ... .max))")
            defer { try? FileManager.default.removeItem(at: root) }
            let usb = root.appendingPathComponent("devices/pci0/usb1/1-6")
            let files = FileManager.default
            for folder in ["1-6:1.0", "1-6:1.2"] {
                try files.createDirectory(at: usb.appendingPathComponent(folder), withIntermediateDirectories: true)
            }
            try Data("removable\n".utf8).write(to: usb.appendingPathComponent("removable"))
            for (link, target) in [("class/video4linux/video0", "1-6:1.0"), ("class/sound/card2", "1-6:1.2")] {
                let folder = root.appendingPathComponent(link)
                try files.createDirectory(at: folder, withIntermediateDirectories: true)
                try files.createSymbolicLink(
                    at: folder.appendingPathComponent("device"), withDestinationURL: usb.appendingPathComponent(target))
            }
            let camera = description(.v4l2, "Video/Source", ["device.path": "/dev/video0"], root: root.path).seen()
            let microphone = description(
                .pulseAudio, "Audio/Source", ["node.name": "alsa_input.usb", "alsa.card": "2"], root: root.path
            ).seen()
            #expect(camera?.group == "1-6" && microphone?.group == "1-6")
            #expect(camera?.kind == .external)
            try Data("fixed\n".utf8).write(to: usb.appendingPathComponent("removable"))
            #expect(
                description(.v4l2, "Video/Source", ["device.path": "/dev/video0"], root: root.path).seen()?.kind
                    == .builtIn
            )
        }
    }
#endif
