#if os(Linux)
    import Foundation
    import RTCDevices
    import RTCFrames
    import RTCMediaFiles
    import RTCWire
    import Synchronization
    import Testing

    @Suite("A file as camera and microphone", .serialized)
    struct MediaFileSourceTests {
        static let h264 = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-preset", "ultrafast", "-c:a", "aac"]

        @Test(
            "Films of several kinds play at their pace, light and sound together",
            arguments: [
                ("film.mp4", h264), ("film.webm", ["-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libopus"]),
                ("film.mkv", ["-c:v", "mpeg4", "-c:a", "flac"]), ("film.avi", ["-c:v", "mjpeg", "-c:a", "pcm_s16le"]),
            ])
        func plays(name: String, codecs: [String]) async throws {
            let files = try GeneratedFiles()
            let path = try files.makeFlashes(name, seconds: 2, codecs: codecs)
            let ((meter, took), interruptions) = try await watched {
                let meter = FlashMeter()
                let end = Mutex<[DeviceError?]>([])
                let source = try MediaFileSource(path: path) { error in end.withLock { $0.append(error) } }
                #expect(source.size?.width == 320 && source.size?.height == 180)
                #expect(source.framesPerSecond == 25)
                #expect(abs((source.duration?.seconds ?? 0) - 2) < 0.2)
                let begin = FlashMeter.now
                source.video?.start(delivering: meter)
                source.audio?.start(delivering: meter)
                try await wait { end.withLock { !$0.isEmpty } }
                #expect(end.withLock { $0 } == [nil])
                return (meter, Double((FlashMeter.now - begin).nanoseconds) / 1e9)
            }
            #expect(took >= 1.8 && took < 3 + interruptions.total.seconds, "took \(took) s")
            // What is late is left out.
            let left = interruptions.pictures
            #expect(
                (40 - left...50).contains(meter.pictures.count), "\(meter.pictures.count) pictures, \(interruptions)")
            #expect(meter.pictures.allSatisfy { $0.width == 320 && $0.height == 180 })
            #expect((195...210).contains(meter.sound.count), "\(meter.sound.count) pieces of sound")
            #expect(meter.sound.allSatisfy { $0.count == 480 })
            #expect(meter.leads.count == 2)
            // A picture lasts 40 ms, and codecs of sound have a delay of their own that not every container tells.
            let farthest = Double(40 * (1 + min(left, 4)))
            for lead in meter.leads { #expect(abs(lead) <= farthest, "light comes \(lead) ms before its sound") }
            for (earlier, later) in zip(meter.sound, meter.sound.dropFirst()) {
                #expect((later.time - earlier.time) == .milliseconds(10))
            }
        }

        @Test("A film that loops goes on without a pause, and light and sound stay together")
        func loops() async throws {
            let files = try GeneratedFiles()
            let path = try files.makeFlashes("film.mp4", seconds: 1, codecs: Self.h264)
            let (meter, interruptions) = try await watched {
                let meter = FlashMeter()
                let source = try MediaFileSource(path: path, loops: true)
                source.video?.start(delivering: meter)
                source.audio?.start(delivering: meter)
                try await wait { meter.lightTimes.count >= 4 && meter.soundTimes.count >= 4 }
                source.video?.stop()
                source.audio?.stop()
                return meter
            }
            let late = Double(40 * min(interruptions.pictures, 4))
            for lead in meter.leads.prefix(3) {
                #expect(abs(lead) <= 40 + late, "light comes \(lead) ms before its sound")
            }
            for (earlier, later) in zip(meter.lightTimes, meter.lightTimes.dropFirst()) {
                let round = Double((later - earlier).nanoseconds) / 1e6
                #expect(round >= 990 - late && round <= 1_100 + late, "a round of \(round) ms")
            }
            let gaps = zip(meter.sound, meter.sound.dropFirst()).map { ($1.time - $0.time).nanoseconds / 1_000_000 }
            let longest = 60 + interruptions.longest.milliseconds
            #expect((gaps.max() ?? 0) <= longest, "a gap of \(gaps.max() ?? 0) ms in the sound")
        }

        @Test("A file stands still while nobody wants it, and nothing comes after stop")
        func stops() async throws {
            let files = try GeneratedFiles()
            let path = try files.makeFlashes("film.mp4", seconds: 3, codecs: Self.h264)
            let meter = FlashMeter()
            let end = Mutex(false)
            let source = try MediaFileSource(path: path) { _ in end.withLock { $0 = true } }
            let video = try #require(source.video)
            video.start(delivering: meter)
            try await wait { meter.pictures.count >= 10 }
            video.stop()
            try await Task.sleep(for: .milliseconds(200))
            let count = meter.pictures.count
            try await Task.sleep(for: .milliseconds(1_000))
            #expect(meter.pictures.count == count)
            try #require(count < 60)
            video.start(delivering: meter)
            try await wait { end.withLock { $0 } }
            // Had the film gone on meanwhile, 25 of its 75 pictures would be missing.
            let pictures = meter.pictures
            #expect((60...75).contains(pictures.count), "\(pictures.count) pictures")
            #expect(pictures[count].time - pictures[count - 1].time > .milliseconds(900))
        }

        @Test("Sound alone is a microphone without a camera, and pictures alone a camera without a microphone")
        func single() async throws {
            let files = try GeneratedFiles()
            let sound = try files.makeFlashes(
                "sound.ogg", seconds: 1, hasVideo: false, codecs: ["-c:a", "libvorbis", "-ar", "44100", "-ac", "2"])
            let pictures = try files.makeFlashes("pictures.mp4", seconds: 1, hasAudio: false, codecs: Self.h264)
            let microphone = try MediaFileSource(path: sound, loops: true)
            #expect(microphone.video == nil && microphone.size == nil)
            let camera = try MediaFileSource(path: pictures, loops: true)
            #expect(camera.audio == nil)
            let meter = FlashMeter()
            microphone.audio?.start(delivering: meter)
            camera.video?.start(delivering: meter)
            try await wait { meter.sound.count > 120 && meter.pictures.count > 30 }
            #expect(meter.sound.allSatisfy { $0.channels == 2 })
            #expect(meter.sound.count > 120 && meter.pictures.count > 30)
            microphone.audio?.stop()
            camera.video?.stop()
        }

        @Test("A film that was taken upright comes upright")
        func turned() async throws {
            let files = try GeneratedFiles()
            let flat = try files.makeFlashes("flat.mp4", seconds: 1, codecs: Self.h264)
            // ffmpeg 6 says it otherwise than the versions before.
            let path =
                try (try? files.ffmpeg(["-display_rotation", "90", "-i", flat, "-c", "copy"], to: "turned.mp4"))
                ?? files.ffmpeg(["-i", flat, "-c", "copy", "-metadata:s:v", "rotate=90"], to: "turned.mp4")
            let source = try MediaFileSource(path: path)
            #expect(source.size?.width == 180 && source.size?.height == 320)
        }

        @Test("What is no film is refused in one sentence")
        func refuses() throws {
            let files = try GeneratedFiles()
            let text = try files.write(Array("This is a letter, and no film.\n".utf8), to: "letter.mp4")
            let noise = try files.write(
                (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }, to: "noise.bin")
            let empty = try files.write([], to: "empty.mp4")
            let film = try files.makeFlashes("film.mp4", seconds: 1, codecs: Self.h264)
            let half = try files.write(
                Array(Data(contentsOf: URL(fileURLWithPath: film)).prefix(2_000)), to: "half.mp4")
            for path in [text, noise, empty, half] {
                let error = #expect(throws: DeviceError.self) { try MediaFileSource(path: path) }
                #expect(error?.code == .notMedia, "\(path): \(String(describing: error))")
                #expect(error?.message.contains("\n") == false && error?.message.contains(path) == true)
            }
            for path in [files.path("nowhere.mp4"), files.folder.path, "/dev/null"] {
                let error = #expect(throws: DeviceError.self) { try MediaFileSource(path: path) }
                #expect(error?.code == .unreadable, "\(path): \(String(describing: error))")
            }
        }

        @Test("A name with spaces, quotation marks and other signs is a name")
        func names() throws {
            let files = try GeneratedFiles()
            let film = try files.makeFlashes("film.mp4", seconds: 1, codecs: Self.h264)
            for name in ["a \"film\" ! fakesink.mp4", "Füße\\n.mp4", "1"] {
                try FileManager.default.copyItem(atPath: film, toPath: files.path(name))
                #expect(try MediaFileSource(path: files.path(name)).video != nil)
            }
        }

        @Test("Opening and closing many times leaves no thread and no descriptor behind")
        func closes() async throws {
            let files = try GeneratedFiles()
            let film = try files.makeFlashes("film.mp4", seconds: 1, codecs: Self.h264)
            func count(_ folder: String) -> Int {
                (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count) ?? 0
            }
            func round() async throws {
                let meter = FlashMeter()
                let source = try MediaFileSource(path: film, loops: true)
                source.video?.start(delivering: meter)
                source.audio?.start(delivering: meter)
                try await wait { !meter.pictures.isEmpty && !meter.sound.isEmpty }
            }
            for _ in 0..<3 { try await round() }
            try await Task.sleep(for: .milliseconds(300))
            let before = (threads: count("task"), descriptors: count("fd"))
            for _ in 0..<20 { try await round() }
            try await wait { count("task") <= before.threads + 2 && count("fd") <= before.descriptors + 2 }
            #expect(count("task") <= before.threads + 2 && count("fd") <= before.descriptors + 2)
        }
    }
#endif
