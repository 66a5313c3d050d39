import RTCDevices
import RTCFrames
import RTCWire

@testable import RTCMediaFiles

/// Takes down what a recording consists of, and puts it into no file.
// One thread at a time, as a recorder's queue.
final class FakeRecording: RecordingBackend, RecordingOutput, @unchecked Sendable {
    let storesRotation: Bool
    /// Whose pictures it takes as they are: those in NV12, as the system's.
    let takesNV12: Bool
    private(set) var format: RecordingFormat?
    private(set) var pictures: [(picture: any VideoFrameBuffer, time: TimeDelta)] = []
    /// All of it, in two channels.
    private(set) var sound: [Int16] = []
    private(set) var isFinished = false
    /// Takes nothing for now, as an input of Apple's writer that is not ready for more.
    /// https://developer.apple.com/documentation/avfoundation/avassetwriterinput/isreadyformoremediadata
    var isFull = false
    var problem: DeviceError?
    var openingProblem: DeviceError?

    init(storesRotation: Bool = true, takesNV12: Bool = false) {
        self.storesRotation = storesRotation
        self.takesNV12 = takesNV12
    }

    func native(_ picture: any VideoFrameBuffer) -> (any VideoFrameBuffer)? {
        picture as? I420Buffer ?? (takesNV12 ? picture as? NV12Buffer : nil)
    }

    func open(_ format: RecordingFormat) throws(DeviceError) -> any RecordingOutput {
        if let openingProblem { throw openingProblem }
        self.format = format
        return self
    }

    func write(_ picture: any VideoFrameBuffer, at time: TimeDelta) -> Bool {
        guard !isFull else { return false }
        pictures.append((picture, time))
        return true
    }

    func write(_ sound: UnsafeRawBufferPointer, at index: Int64) -> Bool {
        guard index == Int64(self.sound.count / 2) else { return false }
        self.sound += sound.bindMemory(to: Int16.self)
        return true
    }

    func failure() -> DeviceError? { problem }

    func finish(_ completion: @escaping @Sendable (DeviceError?) -> Void) {
        isFinished = true
        completion(problem)
    }

    /// In milliseconds.
    var times: [Int64] { pictures.map(\.time.milliseconds) }
    /// Of sound, in seconds.
    var seconds: Double { Double(sound.count) / 2 / Double(RecordingFormat.sampleRate) }
}
