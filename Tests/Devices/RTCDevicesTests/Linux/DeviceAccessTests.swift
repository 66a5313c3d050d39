#if os(Linux)
    import Foundation
    import RTCWire
    import Testing

    @testable import RTCDevices

    @Suite("What this user may use, where nobody asks")
    struct DeviceAccessTests {
        private func access(
            _ nodes: String, pipeWire: Bool = false, pulseAudio: Bool = false, opens: Bool = true
        ) -> DeviceAccess {
            DeviceAccess(
                nodes: nodes, hasPipeWire: { pipeWire }, hasPulseAudio: { pulseAudio }, canOpen: { _ in opens })
        }

        private func withFolder(_ names: [String], mode: Int, _ body: (String) throws -> Void) throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "duet-dev-\(UInt64.random(in: 0 ... .max))")
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent("snd"), withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            for name in names {
                let file = folder.appendingPathComponent(name)
                try Data().write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            }
            try body(folder.path)
        }

        @Test("A server in the session is enough")
        func session() {
            #expect(access("/nowhere", pipeWire: true).video() == .allowed)
            #expect(access("/nowhere", pulseAudio: true).audio() == .allowed)
            #expect(access("/nowhere", pipeWire: true).audio() == .allowed)
        }

        @Test("Without a server, a node that can be opened is")
        func node() throws {
            try withFolder(["video0", "snd/pcmC0D0c"], mode: 0o666) { folder in
                #expect(access(folder).video() == .allowed)
                #expect(access(folder).audio() == .allowed)
            }
        }

        @Test("A node that this user may not open is told with the group that would help, if one would")
        func forbidden() throws {
            try withFolder(["video0", "video2", "snd/pcmC0D0c"], mode: 0o660) { folder in
                let group = try #require(getgrgid(getegid()).map { String(cString: $0.pointee.gr_name) })
                guard case .forbidden(let video) = access(folder, opens: false).video(),
                    case .forbidden(let audio) = access(folder, opens: false).audio()
                else { return #expect(Bool(false), "it may not be opened") }
                #expect(video.contains("\(folder)/video0 may not be opened by this user"))
                #expect(video.contains("sudo usermod -aG \(group) USER") && video.contains("PipeWire"))
                #expect(audio.contains("\(folder)/snd/pcmC0D0c") && audio.contains("in the group \(group)"))
                let authorization = LinuxAuthorization(access: access(folder, opens: false), patience: .seconds(1))
                #expect(authorization.status(for: .audio) == .denied)
                #expect(authorization.refusal(.denied, of: .audio).message.contains("usermod"))
            }
            try withFolder(["video0"], mode: 0o600) { folder in
                guard case .forbidden(let video) = access(folder, opens: false).video() else {
                    return #expect(Bool(false), "it may not be opened")
                }
                #expect(video.contains("only its owner may") && !video.contains("usermod"))
            }
        }

        @Test("With neither, it is told what is missing")
        func nothing() throws {
            try withFolder(["null"], mode: 0o666) { folder in
                guard case .nothing(let video) = access(folder).video(),
                    case .nothing(let audio) = access(folder).audio()
                else { return #expect(Bool(false), "there is nothing to open") }
                #expect(video.contains("\(folder)/video*") && video.contains("PipeWire"))
                #expect(audio.contains("\(folder)/snd/pcmC*") && audio.contains("PulseAudio"))
            }
        }

        @Test("What is refused is told with where to change it")
        func refusal() async {
            let authorization = LinuxAuthorization(access: access("/nowhere"), patience: .seconds(1))
            #expect(authorization.status(for: .audio) == .restricted)
            let error = authorization.refusal(.restricted, of: .audio)
            #expect(error.code == .restricted && error.message.contains("no microphone can be used"))
            #expect(authorization.status(for: .photoLibraryAdditions) == .authorized)
        }
    }

    @Suite("Small things of Linux' devices")
    struct LinuxDeviceTests {
        @Test("Television's rates are fractions")
        func fractions() {
            #expect(GStreamerCamera.fraction(30) == (30, 1))
            #expect(GStreamerCamera.fraction(30_000 / 1_001.0) == (30_000, 1_001))
            #expect(GStreamerCamera.fraction(7.5) == (7_500, 1_000))
            #expect(GStreamerCamera.fraction(.nan) == (30, 1))
        }

        @Test("A device of another system is not opened")
        func foreign() {
            let device = MediaDevice(id: "x", media: .camera, name: "X", handle: "avfoundation:x")
            #expect(throws: DeviceError.self) { try DeviceElement(device) }
        }

        @Test("A device that has gone is not opened")
        func gone() {
            let device = MediaDevice(id: "x", media: .camera, name: "X", handle: "pipewire:1.2")
            let error = #expect(throws: DeviceError.self) { try DeviceElement(device) }
            #expect(error?.code == .disconnected)
        }

        @Test("A gate is waited for until it is opened, and no longer than was said")
        func gate() {
            let gate = ThreadGate()
            let start = Instant.now
            gate.wait(.milliseconds(20))
            #expect(Instant.now - start >= .milliseconds(20))
            MediaThread.start("opens") { gate.open() }
            gate.wait(.seconds(60))
            // It stays open.
            gate.wait(.seconds(60))
            #expect(Instant.now - start < .seconds(30))
        }
    }
#endif
