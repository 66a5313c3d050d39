internal import RTCFrames

/// The sink for the source of a track. References the track weakly: a released track stops its source.
final class SourceInput<Frame: Sendable>: Sendable {
    private let core: WeakReference<TrackCore<Frame>>

    init(core: TrackCore<Frame>) {
        self.core = WeakReference(core)
    }

    func deliver(_ frame: Frame) { core.value?.deliver(frame) }
}

extension SourceInput: AudioSink where Frame == AudioFrame {}
extension SourceInput: VideoSink where Frame == VideoFrame {}
