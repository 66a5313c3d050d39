#if os(Linux)
    import Glibc
    import RTCDevices
    import RTCFrames
    import RTCWire

    /// Does one thing with the devices of this machine, and writes down what happens, in lines of JSON: for tests that give it
    /// a machine of their own.
    @main
    struct DeviceProbe {
        static func main() async {
            let arguments = Array(CommandLine.arguments.dropFirst())
            func argument(_ index: Int, _ usual: String = "") -> String {
                index < arguments.count ? arguments[index] : usual
            }
            do throws(DeviceError) {
                if arguments.contains("ask") {
                    try await MediaAuthorization.request(for: .video)
                    Line("granted").write()
                }
                switch argument(0) {
                case "watch": try await watch()
                case "capture": try await capture(argument(1), width: Int(argument(2)), height: Int(argument(3)))
                case "listen": try await listen(argument(1), processes: argument(2) == "voice")
                case "hear": try await hear(argument(1))
                case "play": try await play()
                case "rate":
                    try await rate(argument(1), seconds: Double(argument(2)) ?? 5, format: argument(3))
                case "cycles": try await cycles(argument(1), count: Int(argument(2)) ?? 10, format: argument(3))
                case "echo": try await echo(argument(1), speaker: argument(2))
                case "access":
                    try await access(patience: Int64(argument(1)) ?? 5_000, times: Int(argument(2)) ?? 1)
                case "orientation": await orientation()
                default: Line("error").add("message", "no such command").write()
                }
            } catch {
                Line("error").add("message", error.message).add("code", "\(error.code)").write()
                exit(1)
            }
        }

        // MARK: Discovery

        /// Each device that comes and goes, for ever.
        private static func watch() async throws(DeviceError) {
            let list = try DeviceList()
            for await change in list.changes(includingPresent: true) {
                let name: String
                switch change {
                case .added: name = "added"
                case .removed: name = "removed"
                case .changed: name = "changed"
                }
                let device = change.device
                Line(name).add("id", device.id.rawValue).add("name", device.name).add("media", device.media.rawValue)
                    .add("kind", device.kind.rawValue).add("position", device.position.rawValue)
                    .add("instance", device.instance).add("mounting", device.mounting.degrees)
                    .add(
                        "formats",
                        device.formats.map { "\($0.pixelFormat) \($0.width)x\($0.height)" }.joined(separator: ",")
                    )
                    .write()
            }
        }

        /// Waits until there is a device with this identifier or name.
        private static func find(
            _ name: String, _ media: MediaDevice.Media, in list: DeviceList
        ) async -> MediaDevice? {
            for await change in list.changes(includingPresent: true) {
                let device = change.device
                guard case .added = change, device.media == media else { continue }
                if device.id.rawValue == name || device.name == name { return device }
            }
            return nil
        }

        // MARK: Cameras

        /// A format by its name, such as `UYVY 1280x720`, at 30 pictures a second.
        private static func named(_ name: String, of device: MediaDevice) -> CaptureFormat? {
            device.formats.first { "\($0.pixelFormat) \($0.width)x\($0.height)" == name }.map {
                CaptureFormat(format: $0, frameRate: 30)
            }
        }

        /// Opens a camera and reads until it has gone; then waits for the next with its name.
        private static func capture(_ name: String, width: Int?, height: Int?) async throws(DeviceError) {
            let list = try DeviceList()
            let devices = DeviceSystem.ofMachine.capture
            while let device = await find(name, .camera, in: list) {
                let meter = PictureMeter()
                let format = device.formats.first { width == nil || $0.width == width && $0.height == height }.map {
                    CaptureFormat(format: $0, frameRate: $0.frameRates.last?.upperBound ?? 0)
                }
                let (ends, end) = AsyncStream.makeStream(of: CaptureEvent.self)
                let start = monotonic()
                let camera: any CameraCapture
                do throws(DeviceError) {
                    camera = try await devices.openCamera(device, format: format) { end.yield($0) }
                } catch {
                    Line("refused").add("message", error.message).write()
                    continue
                }
                meter.onFirst = { frame in
                    Line("first").add("ms", (monotonic() - start) * 1_000).add("width", frame.width)
                        .add("height", frame.height).add("colors", Colors.text(of: frame)).write()
                }
                let before = processorTime()
                camera.start(delivering: meter)
                for await event in ends {
                    switch event {
                    case .disconnected: Line("disconnected").add("frames", meter.count).write()
                    case .failed(let error):
                        Line("failed").add("message", error.message).add("frames", meter.count).write()
                    case .interrupted, .resumed: continue
                    }
                    break
                }
                Line("closing").add("frames", meter.count).add("cpu", processorTime() - before)
                    .add("seconds", monotonic() - start).add("age", meter.age).write()
                await camera.close()
                // The list may hear of it a little later.
                while list.isConnected(device) { try? await Task.sleep(for: .milliseconds(1)) }
            }
        }

        /// Opens a camera, waits for its first picture, and closes it, again and again. One that goes meanwhile is waited for.
        private static func cycles(_ name: String, count: Int, format: String) async throws(DeviceError) {
            let list = try DeviceList()
            let devices = DeviceSystem.ofMachine.capture
            guard var device = await find(name, .camera, in: list) else { return }
            var threads = Int.max
            for cycle in 0..<count {
                let start = monotonic()
                let meter = PictureMeter()
                let (firsts, first) = AsyncStream.makeStream(of: Void.self)
                meter.onFirst = { _ in first.yield() }
                let camera = try await devices.openCamera(device, format: named(format, of: device)) { _ in
                    first.finish()
                }
                camera.start(delivering: meter)
                var iterator = firsts.makeAsyncIterator()
                let isAlive = await iterator.next() != nil
                Line(isAlive ? "first" : "gone").add("ms", (monotonic() - start) * 1_000).write()
                await camera.close()
                if !isAlive {
                    while list.isConnected(device) { try? await Task.sleep(for: .milliseconds(10)) }
                    guard let again = await find(name, .camera, in: list) else { return }
                    device = again
                }
                if cycle % max(1, count / 10) == 0 || cycle == count - 1 {
                    // A thread that says that it is done takes a moment to go.
                    for _ in 0..<200 where entries("/proc/self/task") > threads {
                        try? await Task.sleep(for: .milliseconds(10))
                    }
                    threads = min(threads, entries("/proc/self/task") + 1)
                    Line("cycle").add("number", cycle).add("threads", entries("/proc/self/task"))
                        .add("descriptors", entries("/proc/self/fd")).add("memory", residentMemory()).write()
                }
            }
        }

        /// Reads a camera for some seconds from its first picture on, and tells what that took of the processor.
        private static func rate(_ name: String, seconds: Double, format: String) async throws(DeviceError) {
            let list = try DeviceList()
            guard let device = await find(name, .camera, in: list) else { return }
            let meter = PictureMeter()
            let (firsts, first) = AsyncStream.makeStream(of: Void.self)
            meter.onFirst = { _ in first.yield() }
            let camera = try await DeviceSystem.ofMachine.capture.openCamera(device, format: named(format, of: device))
            { _ in first.finish() }
            camera.start(delivering: meter)
            var iterator = firsts.makeAsyncIterator()
            _ = await iterator.next()
            let (before, count) = (processorTime(), meter.count)
            try? await Task.sleep(for: .seconds(seconds))
            Line("rate").add("frames", meter.count - count).add("cpu", processorTime() - before).add("age", meter.age)
                .write()
            await camera.close()
        }

        // MARK: Sound

        /// Reads a microphone for ever, and tells twice a second how loud it is.
        private static func listen(_ name: String, processes: Bool) async throws(DeviceError) {
            let list = try DeviceList()
            while let device = await find(name, .microphone, in: list) {
                let (ends, end) = AsyncStream.makeStream(of: CaptureEvent.self)
                let microphone = try await DeviceSystem.ofMachine.capture.openMicrophone(
                    device, processing: processes ? .call : .none
                ) { end.yield($0) }
                let meter = SoundMeter { level, frame in
                    Line("level").add("decibels", level).add("channels", frame.channels)
                        .add("samples", frame.samplesPerChannel).write()
                }
                microphone.start(delivering: meter)
                for await event in ends {
                    if case .disconnected = event { Line("disconnected").write() }
                    if case .failed(let error) = event { Line("failed").add("message", error.message).write() }
                    break
                }
                await microphone.close()
                while list.isConnected(device) { try? await Task.sleep(for: .milliseconds(1)) }
            }
        }

        /// Plays a voice-like signal, and listens to it by a microphone that hears the loudspeaker: without processing, and with.
        private static func echo(_ microphone: String, speaker: String) async throws(DeviceError) {
            let list = try DeviceList()
            guard let input = await find(microphone, .microphone, in: list),
                let output = await find(speaker, .speaker, in: list)
            else { return }
            for processing in [VoiceProcessing.none, VoiceProcessing(suppressesNoise: false, controlsGain: false)] {
                let player = try SpeakerOutput(output)
                let capture = try await DeviceSystem.ofMachine.capture.openMicrophone(input, processing: processing) {
                    _ in
                }
                let levels = LevelRecord()
                var (signal, late, states) = (Bursts(), 0, EchoStates())
                var playing: Duration?
                let start = Instant(nanoseconds: Int64(monotonic() * 1e9))
                let delay = EchoDelay(from: start)
                let meter = SoundMeter { level, frame in levels.add(level, frame) }
                meter.onFrame = { delay.hears($0) }
                capture.start(delivering: meter)
                // A canceller takes some seconds to learn the room.
                for tick in 0..<(processing.cancelsEcho ? 1500 : 500) {
                    let time = start + .milliseconds(Int64(tick) * 10)
                    let wait = time.nanoseconds - Int64(monotonic() * 1e9)
                    if wait > 0 { try? await Task.sleep(for: .nanoseconds(wait)) }
                    if wait < -40_000_000 { late += 1 }
                    if tick % 25 == 0 { states.note(capture.echoCancellation) }
                    if tick == 400 { playing = player.playoutDelay }
                    let samples = signal.next(960)
                    delay.plays(samples)
                    player.deliver(AudioFrame(samples: samples, sampleRate: 48_000, channels: 2, timestamp: time))
                }
                await capture.close()
                player.stop()
                // Asked while it plays.
                let playout = playing.map { Double($0.components.attoseconds) / 1e15 } ?? -1
                // What the machine itself has torn apart nobody can put together.
                Line("echo").add("cancels", processing.cancelsEcho ? 1 : 0).add("decibels", levels.ofTheLast(6)).add(
                    "all", levels.text
                ).add("delays", delay.text).add("states", states.text).add("playout", playout).add("late", late).add(
                    "dropped", player.dropped
                )
                .add("gaps", levels.gaps)
                .write()
            }
        }

        /// What a call hears: of this microphone while there is one, and tells twice a second how loud it is.
        private static func hear(_ name: String) async throws(DeviceError) {
            let list = try DeviceList()
            guard let device = await find(name, .microphone, in: list) else { return }
            let feed = MicrophoneFeed(devices: list, processing: .none)
            feed.choose(device.id)
            let events = feed.events()
            feed.start(delivering: SoundMeter { level, _ in Line("level").add("decibels", level).write() })
            for await event in events {
                switch event {
                case .using(let device): Line("using").add("name", device.name).write()
                case .lost(let device): Line("lost").add("name", device.name).write()
                case .failed(let device, let error):
                    Line("failed").add("name", device.name).add("message", error.message).write()
                case .none: Line("none").write()
                case .interrupted, .resumed, .turned: continue
                }
            }
        }

        /// Plays to wherever the system sends sound, for ever, and tells by what.
        private static func play() async throws(DeviceError) {
            let player = try SpeakerOutput()
            var (signal, told) = (Bursts(), "")
            let start = Instant(nanoseconds: Int64(monotonic() * 1e9))
            for tick in 0... {
                let time = start + .milliseconds(Int64(tick) * 10)
                let wait = time.nanoseconds - Int64(monotonic() * 1e9)
                if wait > 0 { try? await Task.sleep(for: .nanoseconds(wait)) }
                player.deliver(AudioFrame(samples: signal.next(960), sampleRate: 48_000, channels: 2, timestamp: time))
                guard player.name != told else { continue }
                told = player.name
                Line("playing").add("name", told).write()
            }
        }

        // MARK: Permission and orientation

        private static func access(patience: Int64, times: Int) async throws(DeviceError) {
            let authorization = MediaAuthorization(backend: LinuxAuthorization(patience: .milliseconds(patience)))
            for subject in [MediaAuthorization.Subject.video, .audio] {
                Line("status").add("subject", subject.rawValue)
                    .add("status", authorization.status(for: subject).rawValue).write()
            }
            for _ in 0..<times {
                do throws(DeviceError) {
                    try await authorization.request(for: .video)
                    Line("granted").write()
                } catch {
                    Line("refused").add("message", error.message).write()
                }
            }
            Line("status").add("subject", "video").add("status", authorization.status(for: .video).rawValue).write()
            // Whoever asks more often looks at what is left of it.
            if times > 1 { try? await Task.sleep(for: .seconds(600)) }
        }

        private static func orientation() async {
            let sensor = OrientationSensor()
            sensor.start { Line("orientation").add("orientation", $0.rawValue).write() }
            try? await Task.sleep(for: .seconds(600))
            sensor.stop()
        }
    }
#else
    @main
    struct DeviceProbe {
        static func main() {}
    }
#endif
