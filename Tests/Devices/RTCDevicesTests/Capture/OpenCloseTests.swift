#if os(Linux)
    import AllocationCounting
    import Glibc
    import RTCFrames
    import RTCWire
    import Testing

    @testable import RTCDevices

    @Suite("A thousand times", .timeLimit(.minutes(2)), .serialized)
    struct OpenCloseTests {
        /// What the process holds: threads, descriptors, and what is allocated and not yet freed, in bytes. The pages of a process would
        /// say less: they stay when what was in them is freed.
        private struct Holdings {
            var threads: Int
            var descriptors: Int
            var memory: Int

            static var now: Holdings {
                Holdings(
                    threads: names(in: "/proc/self/task"), descriptors: names(in: "/proc/self/fd"),
                    memory: duet_bytes_allocated())
            }

            func since(_ before: Holdings) -> Holdings {
                Holdings(
                    threads: threads - before.threads, descriptors: descriptors - before.descriptors,
                    memory: memory - before.memory)
            }

            /// Of a thousand times. The runtime and the test library keep a little; under a sanitizer memory is not told, and does not grow.
            var isNone: Bool { threads <= 2 && descriptors <= 2 && memory < 64_000 }

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
            try await cycles(200)
            let before = Holdings.now
            try await cycles(1_000)
            // The threads of the queues, and what the allocator keeps for each of them, go after five seconds with nothing to do.
            var growth = Holdings.now.since(before)
            for _ in 0..<400 where !growth.isNone {
                try await Task.sleep(for: .milliseconds(50))
                growth = Holdings.now.since(before)
            }
            #expect(growth.isNone, "\(growth)")
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
