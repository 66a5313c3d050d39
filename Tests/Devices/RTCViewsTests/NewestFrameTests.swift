import Foundation
import RTCFrames
import RTCWire
import Testing

@testable import RTCViews

@Suite("Only the newest picture is shown")
struct NewestFrameTests {
    /// Does what it is told to, when the test wants it.
    private final class Worker: @unchecked Sendable {
        private let lock = NSLock()
        private var works: [@Sendable () -> Void] = []
        private var prepared: [Int64] = []

        func perform(_ work: @escaping @Sendable () -> Void) { lock.withLock { works.append(work) } }
        func prepare(_ frame: VideoFrame) -> Int64? {
            lock.withLock { prepared.append(frame.timestamp.nanoseconds) }
            return frame.timestamp.nanoseconds < 0 ? nil : frame.timestamp.nanoseconds
        }

        func run() {
            let works = lock.withLock {
                defer { self.works = [] }
                return self.works
            }
            for work in works { work() }
        }

        var log: [Int64] { lock.withLock { prepared } }
    }

    private func frame(_ number: Int64) -> VideoFrame {
        VideoFrame(buffer: I420Buffer(width: 2, height: 2), timestamp: Instant(nanoseconds: number))
    }

    private func make(_ worker: Worker) -> NewestFrame<Int64> {
        NewestFrame(perform: { worker.perform($0) }, prepare: { worker.prepare($0) }, show: {})
    }

    @Test(
        "Pictures that come while one is prepared or waits to be shown are left out, without any work, but the newest")
    func newest() {
        let worker = Worker()
        let pictures = make(worker)
        for number in 1...3 { pictures.deliver(frame(Int64(number))) }
        worker.run()
        pictures.deliver(frame(4))
        pictures.deliver(frame(5))
        worker.run()
        #expect(worker.log == [3])
        #expect(pictures.takeNewest() == 3)
        worker.run()
        #expect(worker.log == [3, 5])
        #expect(pictures.takeNewest() == 5)
        #expect(pictures.takeNewest() == nil)
        #expect(pictures.dropped == 3)
    }

    @Test("What was forgotten is not shown, and what comes later is")
    func clear() {
        let worker = Worker()
        let pictures = make(worker)
        pictures.deliver(frame(1))
        worker.run()
        pictures.clear()
        #expect(pictures.takeNewest() == nil)
        pictures.deliver(frame(2))
        worker.run()
        #expect(pictures.takeNewest() == 2)
    }

    @Test("A picture that cannot be shown does not keep the next ones from being")
    func bad() {
        let worker = Worker()
        let pictures = make(worker)
        pictures.deliver(frame(-1))
        worker.run()
        #expect(pictures.takeNewest() == nil)
        pictures.deliver(frame(2))
        worker.run()
        #expect(pictures.takeNewest() == 2)
    }
}
