import RTC
import Synchronization
import Testing

@testable import WebRTCKit

@MainActor
@Suite("The track that a view shows")
struct ShownTrackTests {
    private final class Surface: VideoSurface {
        private nonisolated let shown = Mutex(0)
        private(set) var clears = 0

        var count: Int { shown.withLock { $0 } }
        nonisolated func deliver(_ frame: VideoFrame) { shown.withLock { $0 += 1 } }
        func clear() { clears += 1 }
    }

    private let surface = Surface()
    private let first = VideoTrack()
    private let second = VideoTrack()

    private func frame() -> VideoFrame {
        VideoFrame(buffer: I420Buffer(width: 16, height: 16), timestamp: MediaClock.now)
    }

    @Test("Pictures of the track are shown; of none, and of one that was shown before, no longer")
    func changes() {
        let shown = ShownTrack(on: surface)
        first.deliver(frame())
        #expect(surface.count == 0)
        shown.track = first
        // The newest picture comes at once.
        #expect(surface.count == 1 && surface.clears == 0)
        first.deliver(frame())
        #expect(surface.count == 2)
        shown.track = first
        #expect(surface.count == 2 && surface.clears == 0)
        shown.track = second
        #expect(surface.clears == 1)
        first.deliver(frame())
        #expect(surface.count == 2)
        second.deliver(frame())
        #expect(surface.count == 3)
        shown.track = nil
        second.deliver(frame())
        #expect(surface.count == 3 && surface.clears == 2 && shown.track == nil)
    }

    @Test("A track that is disabled leaves no picture behind")
    func disabled() async {
        let shown = ShownTrack(on: surface)
        shown.track = first
        first.deliver(frame())
        first.isEnabled = false
        await settle()
        #expect(surface.clears == 1)
        first.isEnabled = true
        await settle()
        #expect(surface.clears == 1 && shown.track === first)
    }

    @Test("A view that goes takes its sink with it")
    func goes() {
        var shown: ShownTrack? = ShownTrack(on: surface)
        shown?.track = first
        shown = nil
        first.deliver(frame())
        #expect(surface.count == 0)
    }
}
