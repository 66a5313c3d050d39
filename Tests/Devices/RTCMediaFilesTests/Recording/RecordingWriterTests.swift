import RTCDevices
import RTCFrames
import RTCWire
import Synchronization
import Testing

@testable import RTCMediaFiles

@Suite("What a recording consists of")
struct RecordingWriterTests {
    private static let start = Instant(nanoseconds: 5_000_000_000)

    private func writer(
        _ recording: FakeRecording, hasVideo: Bool = true, hasAudio: Bool = true, size: (width: Int, height: Int)? = nil
    ) -> RecordingWriter {
        RecordingWriter(path: "call", hasVideo: hasVideo, hasAudio: hasAudio, size: size, recording)
    }

    /// A grey picture that is white in its left half.
    private func picture(_ width: Int, _ height: Int) -> I420Buffer {
        I420Buffer(width: width, height: height) { planes in
            planes.y.fill(100)
            for y in 0..<height { planes.y.row(y).update(repeating: 235, count: width / 2) }
            planes.u.fill(128)
            planes.v.fill(128)
        }
    }

    private func frame(
        _ milliseconds: Int64, _ width: Int = 320, _ height: Int = 180, _ rotation: VideoRotation = .none
    ) -> VideoFrame {
        VideoFrame(
            buffer: picture(width, height), rotation: rotation, timestamp: Self.start + .milliseconds(milliseconds))
    }

    /// 10 ms, in one channel.
    private func sound(_ milliseconds: Int64, level: Int16 = 1_000) -> AudioFrame {
        AudioFrame(
            samples: [Int16](repeating: level, count: 480), sampleRate: 48_000, channels: 1,
            timestamp: Self.start + .milliseconds(milliseconds))
    }

    private func end(_ writer: RecordingWriter) -> DeviceError? {
        let result = Mutex<DeviceError??>(nil)
        writer.end { failure in result.withLock { $0 = .some(failure) } }
        let failure = result.withLock { $0 }
        #expect(failure != nil, "the end has come at once")
        return failure ?? nil
    }

    /// The brightness at a place, in tenths of width and height.
    private func brightness(_ buffer: any VideoFrameBuffer, _ x: Int, _ y: Int) -> UInt8? {
        (buffer as? I420Buffer)?.withPlanes { $0.y.row(y * $0.height / 10)[x * $0.width / 10] }
    }

    // MARK: Turning and size

    @Test("A file that says how its pictures are turned stores them as they are")
    func storesRotation() {
        let recording = FakeRecording()
        let writer = writer(recording, hasAudio: false)
        #expect(writer.write(frame(0, 320, 180, .clockwise90)))
        #expect(recording.format?.pictures == .init(width: 320, height: 180, rotation: .clockwise90))
        #expect(recording.format?.hasAudio == false)
        #expect(recording.pictures.first.flatMap { brightness($0.picture, 2, 5) } == 235)
    }

    @Test("Any other file has upright pictures")
    func turnsPixels() {
        let recording = FakeRecording(storesRotation: false)
        let writer = writer(recording, hasAudio: false)
        _ = writer.write(frame(0, 320, 180, .clockwise90))
        #expect(recording.format?.pictures == .init(width: 180, height: 320, rotation: .none))
        // What was at the left is at the top.
        #expect(recording.pictures.first.flatMap { brightness($0.picture, 5, 2) } == 235)
        #expect(recording.pictures.first.flatMap { brightness($0.picture, 5, 8) } == 100)
    }

    @Test("Who turns the camera in the middle is seen upright, between black bars")
    func turnsLater() throws {
        let recording = FakeRecording()
        let writer = writer(recording, hasAudio: false)
        _ = writer.write(frame(0, 320, 180, .clockwise90))
        _ = writer.write(frame(40, 320, 180, .none))
        _ = writer.write(frame(80, 180, 320, .clockwise180))
        #expect(recording.pictures.count == 3)
        for (picture, _) in recording.pictures { #expect((picture.width, picture.height) == (320, 180)) }
        // The player turns it by 90° clockwise: what is stored at the bottom is seen at the left.
        let second = recording.pictures[1].picture
        #expect(brightness(second, 5, 8) == 235 && brightness(second, 5, 2) == 100)
        #expect(brightness(second, 1, 5) == 16 && brightness(second, 9, 5) == 16)
        // Stored at the top: seen at the right, as 180° make of the left.
        let third = recording.pictures[2].picture
        #expect(brightness(third, 5, 2) == 235 && brightness(third, 5, 8) == 100)
        #expect(brightness(third, 0, 2) == 235, "its proportions are the recording's")
    }

    @Test("A size that is asked for is the one that is seen, in even numbers")
    func size() {
        let recording = FakeRecording()
        let writer = writer(recording, hasAudio: false, size: (361, 640))
        _ = writer.write(frame(0, 320, 180, .clockwise90))
        #expect(recording.format?.pictures == .init(width: 640, height: 360, rotation: .clockwise90))
        #expect(recording.pictures.first.map { ($0.picture.width, $0.picture.height) == (640, 360) } == true)
        let odd = FakeRecording()
        _ = self.writer(odd, hasAudio: false).write(frame(0, 161, 5))
        #expect(odd.format?.pictures == .init(width: 160, height: 16, rotation: .none))
    }

    @Test("What the output takes as it is, is not touched")
    func native() {
        let recording = FakeRecording(takesNV12: true)
        let writer = writer(recording, hasAudio: false)
        let nv12 = NV12Buffer(width: 320, height: 180) { $0.y.fill(50) }
        _ = writer.write(VideoFrame(buffer: nv12, rotation: .clockwise270, timestamp: Self.start))
        let small = NV12Buffer(width: 160, height: 90) { $0.y.fill(50) }
        _ = writer.write(
            VideoFrame(buffer: small, rotation: .clockwise270, timestamp: Self.start + .milliseconds(40)))
        #expect(recording.pictures.count == 2)
        #expect(recording.pictures.first?.picture === nv12)
        #expect(recording.pictures.last?.picture is I420Buffer)
        #expect(recording.pictures.last?.picture.width == 320)
    }

    // MARK: Time

    @Test("Pictures keep their own times, and one that is not later than the last is left out")
    func times() {
        let recording = FakeRecording()
        let writer = writer(recording, hasAudio: false)
        for time in [0, 33, 67, 40, 67, 100] as [Int64] { #expect(writer.write(frame(time))) }
        #expect(recording.times == [0, 33, 67, 100])
        recording.isFull = true
        #expect(!writer.write(frame(133)), "the encoder has too many")
        recording.isFull = false
        #expect(writer.write(frame(167)))
        #expect(recording.times == [0, 33, 67, 100, 167])
        #expect(end(writer) == nil && recording.isFinished)
    }

    @Test("Sound waits for the first picture, and is where it belongs")
    func early() {
        let recording = FakeRecording()
        let writer = writer(recording)
        for time in 0..<50 { writer.write(sound(Int64(time) * 10)) }
        #expect(recording.format == nil)
        _ = writer.write(frame(500))
        #expect(recording.format?.pictures?.width == 320)
        #expect(recording.times == [500], "sound came first")
        #expect(recording.seconds == 0.5)
        #expect(recording.sound.allSatisfy { $0 == 1_000 })
    }

    @Test("Where no picture comes, the recording is black after two seconds")
    func black() {
        let recording = FakeRecording()
        let writer = writer(recording)
        for time in 0..<300 { writer.write(sound(Int64(time) * 10)) }
        #expect(recording.format?.pictures == .init(width: 640, height: 360, rotation: .none))
        #expect(recording.pictures.first.flatMap { brightness($0.picture, 5, 5) } == 16)
        // It has begun: what is turned now is turned before it is stored.
        _ = writer.write(frame(3_000, 320, 180, .clockwise90))
        #expect(recording.pictures.last.flatMap { brightness($0.picture, 5, 2) } == 235)
        #expect(recording.pictures.last.flatMap { brightness($0.picture, 1, 5) } == 16)
    }

    @Test("While no picture comes the last one stays, and while no sound comes it is silent")
    func fills() {
        let recording = FakeRecording()
        let writer = writer(recording)
        for time in 0..<300 {
            if time < 50 || time >= 200, time % 4 == 0 { _ = writer.write(frame(Int64(time) * 10)) }
            if time < 100 || time >= 250 { writer.write(sound(Int64(time) * 10)) }
        }
        #expect(end(writer) == nil)
        #expect(recording.times == recording.times.sorted() && Set(recording.times).count == recording.times.count)
        let gaps = zip(recording.times, recording.times.dropFirst()).map { $1 - $0 }
        // Neither goes on between 1 and 2 s.
        #expect(gaps.filter { $0 > 520 }.count == 1, "\(recording.times)")
        #expect((2.99...3.0).contains(recording.seconds), "\(recording.seconds) s of sound")
        let half = recording.sound[(2 * 48_000 * 3 / 2)..<(2 * 48_000 * 2)]
        #expect(half.allSatisfy { $0 == 0 })
        #expect(recording.sound.suffix(10_000).allSatisfy { $0 == 1_000 })
    }

    // MARK: Failures

    @Test("What stops a recording is said at its end, and nothing more is written")
    func fails() {
        let recording = FakeRecording()
        let writer = writer(recording)
        _ = writer.write(frame(0))
        recording.problem = DeviceError(.unwritable, "the disk is full")
        _ = writer.write(frame(40))
        let count = recording.pictures.count
        _ = writer.write(frame(80))
        writer.write(sound(80))
        #expect(recording.pictures.count == count)
        #expect(end(writer) == DeviceError(.unwritable, "the disk is full"))
        #expect(!recording.isFinished)
        #expect(end(writer) == DeviceError(.unwritable, "the disk is full"), "also for who asks again")
    }

    @Test("A recording that could not begin says why, also if that turns out at its end")
    func cannotBegin() {
        let problem = DeviceError(.unwritable, "no encoder")
        for hasPicture in [true, false] {
            let recording = FakeRecording()
            recording.openingProblem = problem
            let writer = writer(recording)
            writer.write(sound(0))
            if hasPicture { _ = writer.write(frame(0)) }
            #expect(end(writer) == problem)
        }
    }

    @Test("A recording of nothing has failed")
    func nothing() {
        let recording = FakeRecording()
        #expect(end(writer(recording))?.code == .failed)
        #expect(recording.format == nil)
    }
}
