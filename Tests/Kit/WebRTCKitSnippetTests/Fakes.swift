import Foundation
import Synchronization
import WebRTCKit

/// What a delegate was told.
nonisolated final class Events: Sendable {
    private struct State {
        var lines: [String] = []
        var tracks: [String: WRKRTCAudioTrack] = [:]
        var channels: [WRKDataChannel] = []
    }

    private let state = Mutex(State())

    var lines: [String] { state.withLock { $0.lines } }
    var channels: [WRKDataChannel] { state.withLock { $0.channels } }

    func note(_ line: String, _ track: WRKRTCAudioTrack? = nil) {
        state.withLock { state in
            state.lines.append(line)
            if let track { state.tracks[line] = track }
        }
    }

    func note(_ line: String, _ channel: WRKDataChannel) {
        state.withLock { state in
            state.lines.append(line)
            state.channels.append(channel)
        }
    }

    func track(_ line: String) -> WRKRTCAudioTrack? { state.withLock { $0.tracks[line] } }

    /// Waits until it was told so.
    func wait(for line: String, count: Int = 1) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end {
            if lines.filter({ $0 == line }).count >= count { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw TimedOut(description: "“\(line)” did not come; there were \(lines)")
    }

    struct TimedOut: Error, CustomStringConvertible {
        let description: String
    }
}

/// A capturer without a camera, whose pictures are grey.
final class GreyVideoCapturer: RTCVideoCapturer {
    func captureFrame(shade: UInt8, at timeStampNs: Int64) {
        guard
            let buffer = RTCI420Buffer(
                width: 320, height: 180, y: [UInt8](repeating: shade, count: 320 * 180),
                u: [UInt8](repeating: 128, count: 160 * 90), v: [UInt8](repeating: 128, count: 160 * 90))
        else { return }
        let videoFrame = RTCVideoFrame(buffer: buffer, rotation: ._0, timeStampNs: timeStampNs)
        self.delegate?.capturer(self, didCapture: videoFrame)
    }
}

/// An audio device without hardware: it records a tone, and counts what it plays.
final class FakeAudioDevice: RTCAudioDevice, Sendable {
    private struct State {
        var delegate: RTCAudioDeviceDelegate?
        var isPlayoutInitialized = false
        var isPlaying = false
        var isRecordingInitialized = false
        var isRecording = false
        var loudest: Int16 = 0
    }

    private let state = Mutex(State())

    /// The loudest sample that was played since it was asked last.
    func takeLoudest() -> Int {
        state.withLock { state in
            defer { state.loudest = 0 }
            return Int(state.loudest)
        }
    }

    private func run() {
        Task.detached { [self] in
            let tone = (0..<480).map { Int16(8_000 * sin(Double($0) * 2 * .pi * 1_000 / 48_000)) }
            while true {
                let (delegate, isRecording, isPlaying) = state.withLock { ($0.delegate, $0.isRecording, $0.isPlaying) }
                guard let delegate, isRecording || isPlaying else { return }
                if isRecording { tone.withUnsafeBufferPointer { _ = delegate.deliverRecordedSamples($0) } }
                if isPlaying {
                    var samples = [Int16](repeating: 0, count: 480)
                    samples.withUnsafeMutableBufferPointer { _ = delegate.getPlayoutSamples($0) }
                    let loudest = samples.max() ?? 0
                    state.withLock { $0.loudest = max($0.loudest, loudest) }
                }
                try? await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    private func change(_ body: (inout State) -> Void) -> Bool {
        let (before, after) = state.withLock { state in
            let before = state.isRecording || state.isPlaying
            body(&state)
            return (before, state.isRecording || state.isPlaying)
        }
        if after, !before { run() }
        return true
    }

    var deviceInputSampleRate: Double { 48_000 }
    var inputNumberOfChannels: Int { 1 }
    var deviceOutputSampleRate: Double { 48_000 }
    var outputNumberOfChannels: Int { 1 }

    var isInitialized: Bool { state.withLock { $0.delegate != nil } }
    func initialize(with delegate: RTCAudioDeviceDelegate) -> Bool { change { $0.delegate = delegate } }
    func terminateDevice() -> Bool { change { $0.delegate = nil } }

    var isPlayoutInitialized: Bool { state.withLock { $0.isPlayoutInitialized } }
    func initializePlayout() -> Bool { change { $0.isPlayoutInitialized = true } }
    var isPlaying: Bool { state.withLock { $0.isPlaying } }
    func startPlayout() -> Bool { change { $0.isPlaying = true } }
    func stopPlayout() -> Bool { change { $0.isPlaying = false } }

    var isRecordingInitialized: Bool { state.withLock { $0.isRecordingInitialized } }
    func initializeRecording() -> Bool { change { $0.isRecordingInitialized = true } }
    var isRecording: Bool { state.withLock { $0.isRecording } }
    func startRecording() -> Bool { change { $0.isRecording = true } }
    func stopRecording() -> Bool { change { $0.isRecording = false } }
}
