import Foundation
import RTCMediaFiles
import WebRTCKit

// The other side of a call as a film, and one picture of it as a photo: by what an app adds to the tracks that its delegate is told of.

final class CallRecording {
    private let recorder: MediaRecorder

    /// - Parameter path: Of a file, ending in `.mov`.
    init(path: String) throws {
        recorder = try MediaRecorder(path: path)
    }

    func record(_ track: WRKRTCVideoTrack) { track.add(recorder) }
    func record(_ track: WRKRTCAudioTrack) { track.add(recorder) }
    func finish() async throws { try await recorder.finish() }
}

final class Photographer: VideoSink {
    private let photos: AsyncStream<Data>.Continuation

    init(_ photos: AsyncStream<Data>.Continuation) {
        self.photos = photos
    }

    func deliver(_ frame: VideoFrame) {
        if let photo = try? PhotoEncoder().jpeg(frame) { photos.yield(Data(photo)) }
        photos.finish()
    }
}

func photo(of track: WRKRTCVideoTrack) async -> Data? {
    let (photos, continuation) = AsyncStream.makeStream(of: Data.self, bufferingPolicy: .bufferingOldest(1))
    let photographer = Photographer(continuation)
    track.add(photographer)
    defer { track.remove(photographer) }
    for await photo in photos { return photo }
    return nil
}
