import RTCFrames
import RTCWire
import Testing

@testable import RTCDevices

@Suite("A device that is open and delivers nothing", .timeLimit(.minutes(1)))
struct SilentDeviceTests {
    private let a = MediaDevice.fake("a")
    private let b = MediaDevice.fake("b")

    private func silence(_ seconds: Int, _ name: String = "a") -> DeviceError {
        DeviceError(.failed, "\(name) has delivered nothing for \(seconds) s")
    }

    private func opened(_ feed: FakeFeedDevices) -> [DeviceID] { feed.openings.map(\.device.id) }

    @Test("First data within five seconds is in time, and however long nothing comes after it")
    func inTime() {
        for media in [MediaDevice.Media.camera, .microphone] {
            let device = MediaDevice.fake("a", media)
            var feed = FakeFeedDevices([device, .fake("b", media)])
            feed.start()
            feed.pass(.milliseconds(4_999))
            let passes = feed.deliver()
            #expect(passes && feed.rules.nextDeadline == nil)
            feed.pass(.seconds(1_000))
            #expect(feed.events == [.using(device)] && feed.openings.count == 1)
        }
    }

    @Test("It is reopened after five seconds, and given up for the next device ten seconds later")
    func nothing() {
        for media in [MediaDevice.Media.camera, .microphone] {
            let (first, second) = (MediaDevice.fake("a", media), MediaDevice.fake("b", media))
            var feed = FakeFeedDevices([first, second])
            feed.start()
            feed.pass(.milliseconds(4_999))
            #expect(feed.events.isEmpty)
            feed.pass(.milliseconds(1))
            #expect(feed.events == [.failed(first, silence(5))] && opened(feed) == ["a", "a"])
            feed.pass(.milliseconds(9_999))
            #expect(feed.events.count == 1)
            feed.pass(.milliseconds(1))
            #expect(feed.events == [.failed(first, silence(5)), .failed(first, silence(10))])
            #expect(opened(feed) == ["a", "a", "b"])
            feed.deliver()
            feed.pass(.seconds(1_000))
            #expect(feed.events.last == .using(second) && feed.openings.count == 3 && feed.open.count == 1)
        }
    }

    @Test("A slow device has twice the time when it is reopened, and five seconds again at a later opening")
    func slow() {
        var feed = FakeFeedDevices([a, b])
        feed.start()
        feed.pass(.seconds(14))
        feed.deliver()
        #expect(feed.events == [.failed(a, silence(5)), .using(a)])
        feed.handle(.reopen)
        feed.settle()
        feed.pass(.seconds(5))
        #expect(feed.events.last == .failed(a, silence(5)) && opened(feed) == ["a", "a", "a", "a"])
    }

    @Test("Without another device it is tried again after one second, two, four, and reported once")
    func alone() {
        var feed = FakeFeedDevices([a])
        let start = feed.now
        feed.start()
        feed.pass(.seconds(43))
        let times = feed.openings.map { ($0.at - start).nanoseconds / 1_000_000_000 }
        #expect(times == [0, 5, 16, 28, 42])
        #expect(feed.events == [.failed(a, silence(5)), .failed(a, silence(10)), .none])
        feed.deliver()
        #expect(feed.events.last == .using(a))
    }

    @Test("While it is interrupted nothing is expected; when it goes on, the time begins again")
    func interrupted() {
        var feed = FakeFeedDevices([a])
        feed.start()
        feed.pass(.seconds(4))
        feed.tell(.interrupted("a telephone call"))
        feed.pass(.seconds(1_000))
        feed.tell(.resumed)
        feed.pass(.milliseconds(4_999))
        #expect(feed.events == [.interrupted(a, "a telephone call"), .resumed(a)])
        feed.pass(.milliseconds(1))
        #expect(feed.events.last == .failed(a, silence(5)))
    }

    @Test("The interruption may be older than the opening's end, or than a restart of the feed")
    func interruptedBefore() {
        var feed = FakeFeedDevices([a])
        feed.handle(.start)
        feed.carryOut()
        feed.handle(.event(.interrupted("a telephone call"), 1))
        feed.settle()
        feed.pass(.seconds(100))
        feed.handle(.stop)
        feed.start()
        feed.pass(.seconds(100))
        #expect(feed.events == [.interrupted(a, "a telephone call")] && feed.openings.count == 1)
    }

    @Test("Late data of the earlier opening, or from before the request, is neither passed on nor counted")
    func late() {
        var feed = FakeFeedDevices([a, b])
        feed.start()
        let old = feed.deliver(age: .milliseconds(1))
        feed.pass(.seconds(5))
        let late = feed.deliver(1)
        feed.pass(.seconds(10))
        let later = feed.deliver(2)
        #expect(!old && !late && !later)
        #expect(opened(feed) == ["a", "a", "b"] && feed.rules.device == nil)
    }

    @Test("Stopped in between, nothing is reported or opened; started again, it has its five seconds")
    func stopped() {
        for isUndone in [true, false] {
            var feed = FakeFeedDevices([a, b])
            feed.start()
            feed.pass(.seconds(5))
            feed.pass(.seconds(4))
            feed.handle(.stop)
            if !isUndone {
                feed.settle()
                feed.pass(.seconds(1_000))
                #expect(feed.open.isEmpty)
            }
            #expect(feed.rules.nextDeadline == nil && feed.events.count == 1)
            feed.start()
            feed.pass(.milliseconds(4_999))
            #expect(feed.events.count == 1)
            feed.pass(.milliseconds(1))
            #expect(feed.events == [.failed(a, silence(5)), .failed(a, silence(5))])
            #expect(feed.rules.target == a)
        }
    }

    @Test("A device that cannot be reopened is given up at once")
    func reopeningFails() {
        var feed = FakeFeedDevices([a, b])
        feed.start()
        let busy = DeviceError(.busy, "busy")
        feed.broken["a"] = busy
        feed.pass(.seconds(5))
        #expect(feed.events == [.failed(a, silence(5)), .failed(a, busy)])
        #expect(feed.rules.target == b)
    }

    @Test("Chosen again, or plugged in again, it has both openings again")
    func chosenAgain() {
        for isNew in [true, false] {
            var feed = FakeFeedDevices([a, b])
            feed.start()
            feed.pass(.seconds(15))
            feed.deliver()
            feed.connect([b] + (isNew ? [] : [a]))
            feed.connect([isNew ? a.again(2) : a, b])
            feed.pass(.seconds(5))
            #expect(opened(feed) == ["a", "a", "b", "a", "a"])
            feed.pass(.seconds(10))
            #expect(opened(feed) == ["a", "a", "b", "a", "a", "b"])
        }
    }

    @Test("It is unplugged before its time is over: lost, and no failure")
    func unplugged() {
        var feed = FakeFeedDevices([a])
        feed.start()
        feed.pass(.seconds(4))
        feed.connect([])
        feed.pass(.seconds(100))
        #expect(feed.events == [.lost(a), .none] && feed.rules.nextDeadline == nil)
    }

    @Test("A loudspeaker, which delivers nothing by itself, is never given up for it")
    func speaker() {
        let speaker = MediaDevice.fake("s", .speaker)
        var feed = FakeFeedDevices([speaker, .defaultSpeaker])
        feed.start()
        feed.tell(.interrupted("a telephone call"))
        feed.tell(.resumed)
        feed.handle(.stop)
        feed.start()
        #expect(feed.rules.nextDeadline == nil)
        feed.pass(.seconds(1_000))
        #expect(feed.openings.count == 1 && feed.rules.target == speaker)
    }

    @Test("While the app itself holds it back nothing is expected, nor before it could deliver for five seconds")
    func paused() {
        var feed = FakeFeedDevices([a])
        feed.start()
        feed.isPaused = true
        feed.pass(.milliseconds(59_999))
        feed.isPaused = false
        feed.pass(.milliseconds(5_000))
        #expect(feed.events.isEmpty)
        feed.pass(.milliseconds(5_000))
        #expect(feed.events == [.failed(a, silence(5))])
    }

    @Test("Where only one device may be open, it is closed before it is reopened")
    func oneAtATime() {
        var feed = FakeFeedDevices([a, b], canOpenWhileClosing: false)
        feed.start()
        feed.pass(.seconds(16))
        #expect(opened(feed) == ["a", "a", "b"] && feed.mostOpen == 1)
    }

    @Test("A camera that gives nothing at its first opening is used at its second")
    func camera() async throws {
        let capture = FakeCapture()
        let feed = DeviceFeed<any CameraCapture, any VideoSink>(
            use: .init(
                candidates: { [a] in [a] },
                open: { device, onEvent async throws(DeviceError) in
                    try await capture.openCamera(device, format: nil, onEvent: onEvent)
                },
                start: { camera, generation, feed in
                    camera.start(delivering: Gate(generation: generation, feed: feed))
                    if generation > 1 { (camera as? FakeCamera)?.shoot() }
                },
                noteUse: { _ in }, stop: { $0.stop() }, close: { await $0.close() }, canOpenWhileClosing: true),
            times: DeviceFeedRules.Times(firstData: .milliseconds(250)))
        var events = feed.events.stream().makeAsyncIterator()
        let pictures = PictureBox()
        feed.start(delivering: pictures)
        guard case .failed(a, let error) = await events.next() else {
            Issue.record("it should have failed")
            return
        }
        #expect(error.code == .failed)
        #expect(await events.next() == .using(a))
        await feed.settled()
        #expect(capture.opened == ["a", "a"] && capture.mostOpen == 1 && pictures.all.count == 1)
        let camera = try #require(capture.cameras.first)
        feed.stop()
        await feed.settled()
        #expect(capture.cameras.isEmpty && camera.open.sink == nil)
    }

    private final class Gate: VideoSink {
        private let generation: Int
        private let feed: DeviceFeed<any CameraCapture, any VideoSink>

        init(generation: Int, feed: DeviceFeed<any CameraCapture, any VideoSink>) {
            self.generation = generation
            self.feed = feed
        }

        func deliver(_ frame: VideoFrame) {
            if feed.passes(generation, capturedAt: frame.timestamp) { feed.sink?.deliver(frame) }
        }
    }
}
