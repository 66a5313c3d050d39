package import RTCFrames

/// Writes video frames into a Y4M file.
package final class VideoRecorder: VideoSink, @unchecked Sendable {
    private let lock = Lock()
    private var writer: Y4MWriter
    private var failure: (any Error)?

    package init(_ sink: any ByteSink, framesPerSecond: Int = 30) {
        writer = Y4MWriter(sink, framesPerSecond: framesPerSecond)
    }

    package func deliver(_ frame: VideoFrame) {
        lock.withLock {
            guard failure == nil else { return }
            do { try writer.write(frame) } catch { failure = error }
        }
    }

    /// The number of written frames.
    package var count: Int { lock.withLock { writer.count } }

    /// Completes the file.
    ///
    /// - Throws: The error that stopped writing, if there was one.
    package func finish() throws {
        if let failure = lock.withLock({ failure }) { throw failure }
    }
}

/// Writes audio into a WAV file.
package final class AudioRecorder: AudioSink, @unchecked Sendable {
    private let lock = Lock()
    private var writer: WAVWriter
    private var failure: (any Error)?

    package init(_ sink: any ByteSink) {
        writer = WAVWriter(sink)
    }

    package func deliver(_ frame: AudioFrame) {
        lock.withLock {
            guard failure == nil else { return }
            do { try writer.write(frame) } catch { failure = error }
        }
    }

    /// Writes the length into the header. Call it once, after the last audio.
    ///
    /// - Throws: The error that stopped writing, if there was one.
    package func finish() throws {
        try lock.withLock {
            if let failure { throw failure }
            try writer.finish()
        }
    }
}
