#if os(Linux)
    import Glibc
    import RTCFrames
    import RTCWire
    import Testing

    @testable import RTCDevices

    @Suite("A thousand times", .timeLimit(.minutes(2)), .serialized)
    struct OpenCloseTests {
        /// What the process holds: threads, descriptors, and memory in bytes.
        private struct Holdings {
            var threads: Int
            var descriptors: Int
            var memory: Int

            static var now: Holdings {
                Holdings(
                    threads: names(in: "/proc/self/task"), descriptors: names(in: "/proc/self/fd"),
                    memory: memory())
            }

            private static func memory() -> Int {
                let file = open("/proc/self/statm", O_RDONLY)
                guard file >= 0 else { return 0 }
                defer { close(file) }
                var text = [UInt8](repeating: 0, count: 200)
                let count = read(file, &text, text.count)
                let words = String(decoding: text.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
                return words.count > 1 ? (Int(words[1]) ?? 0) * Int(getpagesize()) : 0
            }

            private static func names(in folder: String) -> Int {
                guard let directory = opendir(folder) else { return 0 }
                defer { closedir(directory) }
                var count = 0
                while readdir(directory) != nil { count += 1 }
                return count
            }
        }

        @Test("Lists, selectors and feeds that are made, opened and let go a thousand times leave nothing behind")
        func thousand() async throws {
            // Other tests run beside this one, and hold what they hold: the smallest growth of several rounds counts.
            var smallest = Holdings(threads: .max, descriptors: .max, memory: .max)
            try await cycles(200)
            for _ in 0..<5 {
                let before = Holdings.now
                try await cycles(200)
                let after = Holdings.now
                smallest.threads = min(smallest.threads, after.threads - before.threads)
                smallest.descriptors = min(smallest.descriptors, after.descriptors - before.descriptors)
                smallest.memory = min(smallest.memory, after.memory - before.memory)
            }
            #expect(smallest.threads <= 2)
            #expect(smallest.descriptors <= 2)
            // Less than half a kilobyte a round is the noise of a process's memory. The address sanitizer keeps what is freed.
            if dlsym(nil, "__asan_init") == nil { #expect(smallest.memory < 200 * 512) }
        }

        private func cycles(_ count: Int) async throws {
            for _ in 0..<count {
                let discovery = FakeDiscovery([.camera("front", .front), .microphone("m")])
                let capture = FakeCapture()
                let system = DeviceSystem(
                    authorization: FakeAuthorization(), discovery: { discovery }, capture: capture,
                    rotation: { SensorRotation(for: $0, sensor: SensorRotationTests.Sensor()) })
                let devices = try DeviceList(backend: discovery)
                let selector = CameraSelector(devices: devices, preference: nil)
                let (camera, microphone) = (
                    CameraFeed(selector, system: system), MicrophoneFeed(devices: devices, system: system)
                )
                let (pictures, sound) = (PictureBox(), SoundBox())
                camera.start(delivering: pictures)
                microphone.start(delivering: sound)
                discovery.plug(.camera("webcam"))
                await camera.settled()
                await microphone.settled()
                capture.cameras.first?.shoot()
                capture.microphones.first?.hear()
                camera.stop()
                microphone.stop()
                await camera.settled()
                await microphone.settled()
                #expect(capture.cameras.isEmpty && capture.microphones.isEmpty)
            }
        }
    }
#endif
