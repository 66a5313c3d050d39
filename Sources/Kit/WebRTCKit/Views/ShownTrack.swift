internal import RTC
internal import RTCViews
internal import Synchronization

/// A place where frames are shown: a view, or a test's stand-in.
@MainActor
protocol VideoSurface: VideoSink {
    /// Shows black until the next frame.
    func clear()
}

extension VideoView: VideoSurface {}

/// The track that a view shows, if any; black while it is disabled.
@MainActor
final class ShownTrack {
    /// Passes frames to the surface until it is closed: a track may deliver one more after its sink was removed.
    private final class ClosableSink: VideoSink {
        private let surface: Mutex<(any VideoSink)?>

        init(_ surface: any VideoSink) { self.surface = Mutex(surface) }

        func deliver(_ frame: VideoFrame) { surface.withLock { $0?.deliver(frame) } }
        func close() { surface.withLock { $0 = nil } }
    }

    private let surface: any VideoSurface
    private var shown: (track: VideoTrack, inlet: ClosableSink)?

    init(on surface: any VideoSurface) {
        self.surface = surface
    }

    deinit {
        guard let (track, inlet) = shown else { return }
        inlet.close()
        track.remove(inlet)
        track.observeEnabled(by: ObjectIdentifier(self), nil)
    }

    var track: VideoTrack? {
        get { shown?.track }
        set {
            guard newValue !== shown?.track else { return }
            if let (track, inlet) = shown {
                inlet.close()
                track.remove(inlet)
                track.observeEnabled(by: ObjectIdentifier(self), nil)
                surface.clear()
            }
            shown = newValue.map { ($0, ClosableSink(surface)) }
            guard let (track, inlet) = shown else { return }
            track.observeEnabled(by: ObjectIdentifier(self)) { [weak self] in
                Task { @MainActor in self?.trackWasSwitched() }
            }
            track.add(inlet)
        }
    }

    private func trackWasSwitched() {
        if let shown, !shown.track.isEnabled { surface.clear() }
    }
}
