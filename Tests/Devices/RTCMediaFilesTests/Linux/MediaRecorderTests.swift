#if os(Linux)
    import Foundation
    import RTCDevices
    import RTCFrames
    import RTCMediaFiles
    import RTCWire
    import Testing

    @Suite("Recordings", .serialized)
    struct MediaRecorderTests {
        /// What ffprobe says of a file's streams, `key=value` in lines.
        private func probe(_ path: String) throws -> String {
            try GeneratedFiles.run(
                "ffprobe",
                [
                    "-v", "error", "-show_entries", "stream=codec_name,width,height:format=duration", "-of",
                    "default=nw=1",
                    path,
                ]
            ).output
        }

        /// How many pictures and how many seconds of sound ffmpeg gets out of a file without a complaint.
        private func decode(_ path: String) throws -> (pictures: Int, seconds: Double) {
            let pictures = try GeneratedFiles.run(
                "ffprobe",
                [
                    "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries", "stream=nb_read_frames",
                    "-of",
                    "csv=p=0", path,
                ])
            let sound = try GeneratedFiles.run(
                "sh", ["-c", "ffmpeg -v error -i '\(path)' -map 0:a -ac 1 -ar 8000 -f s16le - | wc -c"])
            let count = pictures.output.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
            let bytes = Double(sound.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
            return (count, bytes / 16_000)
        }

        /// Records flashes at their own pace.
        private func record(
            into recorder: MediaRecorder, seconds: Double,
            size: (Int) -> (width: Int, height: Int) = { _ in (320, 180) },
            hasVideo: (Int) -> Bool = { _ in true }, hasAudio: (Int) -> Bool = { _ in true }
        ) async throws {
            let start = FlashMeter.now
            for tick in 0..<Int(seconds * 100) {
                let time = start + .milliseconds(Int64(tick) * 10)
                let wait = (time - FlashMeter.now).nanoseconds
                if wait > 0 { try await Task.sleep(for: .nanoseconds(wait)) }
                let isOn = tick % 100 < 20
                if hasAudio(tick) { recorder.deliver(Flash.sound(isLoud: isOn, index: tick, at: time)) }
                if tick % 4 == 0, hasVideo(tick) {
                    let (width, height) = size(tick)
                    recorder.deliver(Flash.picture(isLit: isOn, width: width, height: height, at: time))
                }
            }
        }

        /// When light and sound begin in a file.
        private func flashes(_ path: String) async throws -> (FlashMeter, Interruptions) {
            try await watched {
                let meter = FlashMeter()
                let end = Ended()
                let source = try MediaFileSource(path: path) { _ in end.set() }
                source.video?.start(delivering: meter)
                source.audio?.start(delivering: meter)
                try await wait { end.isSet }
                return meter
            }
        }

        /// Light within 40 ms of its sound. Where the encoder did not keep up, and left out the first pictures of a flash, its light
        /// begins with a later one of the five that it has; and so where the player was kept waiting.
        private func expectTogether(
            _ leads: [Double], _ recorder: MediaRecorder, _ interruptions: Interruptions,
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let farthest = Double(40 * (1 + min(recorder.dropped + interruptions.pictures, 4)))
            for lead in leads {
                #expect(
                    abs(lead) <= farthest, "light comes \(lead) ms before its sound", sourceLocation: sourceLocation)
            }
        }

        private final class Ended: @unchecked Sendable {
            private let lock = NSLock()
            private var value = false

            func set() { lock.withLock { value = true } }
            var isSet: Bool { lock.withLock { value } }
        }

        @Test("A recording has what came, of the right length, with light and sound within 40 ms")
        func records() async throws {
            let files = try GeneratedFiles()
            let path = files.path("call.webm")
            let recorder = try MediaRecorder(path: path)
            try await record(into: recorder, seconds: 3)
            try await recorder.finish()
            let text = try probe(path)
            #expect(text.contains("codec_name=vp8") && text.contains("codec_name=opus"), "\(text)")
            #expect(text.contains("width=320") && text.contains("height=180"))
            let (pictures, seconds) = try decode(path)
            #expect(pictures + recorder.dropped >= 74 && pictures > 50)
            #expect((2.9...3.2).contains(seconds), "\(seconds) s of sound")
            let (meter, interruptions) = try await flashes(path)
            #expect(meter.leads.count == 3)
            expectTogether(meter.leads, recorder, interruptions)
        }

        @Test("Pictures that change their size fit into the recording")
        func resizes() async throws {
            let files = try GeneratedFiles()
            let path = files.path("call.webm")
            let recorder = try MediaRecorder(path: path)
            let sizes = [(320, 180), (640, 360), (161, 91), (180, 320)]
            try await record(into: recorder, seconds: 2, size: { sizes[$0 / 50 % 4] })
            try await recorder.finish()
            #expect(try probe(path).contains("width=320"))
            #expect(try decode(path).pictures > 30)
        }

        @Test("While there is no picture the last one stays, and while there is no sound it is silent")
        func fills() async throws {
            let files = try GeneratedFiles()
            let path = files.path("call.webm")
            let recorder = try MediaRecorder(path: path)
            try await record(
                into: recorder, seconds: 5, hasVideo: { $0 < 100 || $0 >= 300 },
                hasAudio: { $0 >= 50 && ($0 < 350 || $0 > 400) })
            try await recorder.finish()
            let (pictures, seconds) = try decode(path)
            #expect(pictures > 50)
            #expect((4.8...5.2).contains(seconds), "\(seconds) s of sound")
            let (meter, interruptions) = try await flashes(path)
            expectTogether(meter.leads.filter { abs($0) < 300 }, recorder, interruptions)
        }

        @Test("A call without pictures, and one without sound")
        func single() async throws {
            let files = try GeneratedFiles()
            let sound = files.path("sound.webm")
            let silent = files.path("silent.webm")
            let waiting = files.path("waiting.webm")
            let soundOnly = try MediaRecorder(path: sound, hasVideo: false)
            let picturesOnly = try MediaRecorder(path: silent, hasAudio: false)
            // Pictures were promised, and never came.
            let unseen = try MediaRecorder(path: waiting)
            async let first: Void = record(into: soundOnly, seconds: 1, hasVideo: { _ in false })
            async let second: Void = record(into: picturesOnly, seconds: 1, hasAudio: { _ in false })
            async let third: Void = record(into: unseen, seconds: 3, hasVideo: { _ in false })
            _ = try await (first, second, third)
            try await soundOnly.finish()
            try await picturesOnly.finish()
            try await unseen.finish()
            #expect(try !probe(sound).contains("vp8") && decode(sound).seconds > 0.9)
            #expect(try !probe(silent).contains("opus") && decode(silent).pictures > 15)
            let (pictures, seconds) = try decode(waiting)
            #expect(pictures >= 1 && seconds > 2.8)
        }

        @Test("A recording that was cut off can be played as far as it got")
        func survives() async throws {
            let files = try GeneratedFiles()
            let path = files.path("call.webm")
            let recorder = try MediaRecorder(path: path)
            try await record(into: recorder, seconds: 4)
            // As it is at this moment, which is what a killed program leaves behind; or a little later, since an encoder takes its
            // time. Nothing more is recorded meanwhile, and nobody ends it.
            let cut = files.path("cut.webm")
            var (pictures, seconds) = (0, 0.0)
            for _ in 0..<20 where pictures <= 60 || seconds <= 3 {
                if pictures > 0 { try await Task.sleep(for: .milliseconds(500)) }
                try? FileManager.default.removeItem(atPath: cut)
                try FileManager.default.copyItem(atPath: path, toPath: cut)
                (pictures, seconds) = try decode(cut)
            }
            #expect(pictures > 60, "\(pictures) pictures")
            #expect(seconds > 3, "\(seconds) s of sound")
            let (meter, interruptions) = try await flashes(cut)
            #expect(meter.leads.count >= 3)
            expectTogether(meter.leads, recorder, interruptions)
            try await recorder.finish()
        }

        @Test("What cannot be recorded is said in one sentence")
        func refuses() async throws {
            let files = try GeneratedFiles()
            let error = #expect(throws: DeviceError.self) { try MediaRecorder(path: files.path("no/where.webm")) }
            #expect(error?.code == .unwritable)
            let empty = try MediaRecorder(path: files.path("empty.webm"))
            let nothing = await #expect(throws: DeviceError.self) { try await empty.finish() }
            #expect(nothing?.code == .failed)
            // A disk without room.
            let full = try MediaRecorder(path: "/dev/full")
            try await record(into: full, seconds: 1)
            let noRoom = await #expect(throws: DeviceError.self) { try await full.finish() }
            #expect(noRoom?.code == .unwritable, "\(String(describing: noRoom))")
        }
    }
#endif
