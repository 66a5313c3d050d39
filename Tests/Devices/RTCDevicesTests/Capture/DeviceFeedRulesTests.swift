import RTCWire
import Testing

@testable import RTCDevices

@Suite("The rules of a feed")
struct DeviceFeedRulesTests {
    private let a = MediaDevice.fake("a")
    private let b = MediaDevice.fake("b")

    @Test("What is stopped and started again at once stays open")
    func undone() {
        var feed = FakeFeedDevices([a])
        feed.start()
        feed.deliver()
        feed.handle(.stop)
        let passes = feed.deliver()
        feed.now += .seconds(1)
        feed.handle(.start)
        feed.settle()
        let old = feed.deliver(age: .milliseconds(1))
        let new = feed.deliver()
        #expect(!passes && !old && new && feed.openings.count == 1)
        #expect(feed.events == [.using(a), .using(a)])
        feed.handle(.stop)
        feed.settle()
        #expect(feed.open.isEmpty && feed.rules.isSettled && feed.rules.nextDeadline == nil)
    }

    @Test("Another device is opened while the old one is closed; the same one after that, and any if one may be open")
    func closing() {
        for (canOpenWhileClosing, next, opensAtOnce) in [(true, b, true), (true, a, false), (false, b, false)] {
            var feed = FakeFeedDevices([a, b], canOpenWhileClosing: canOpenWhileClosing)
            feed.start()
            feed.candidates = next == b ? [b, a] : [a, b]
            feed.handle(next == b ? .candidatesChanged : .reopen)
            #expect(feed.rules.target == nil)
            feed.carryOut { $0 == .proceed }
            #expect((feed.openings.count == 2) == opensAtOnce)
            feed.carryOut { $0 == .open(next, 2) }
            feed.settle()
            #expect(feed.openings.map(\.device) == [a, next] && feed.open.count == 1)
            #expect(feed.mostOpen == (opensAtOnce ? 2 : 1))
        }
    }

    @Test("Nothing waits for a device that has gone while it is opened or closed, unless only one may be open")
    func gone() {
        for canOpenWhileClosing in [true, false] {
            var feed = FakeFeedDevices([a, b], canOpenWhileClosing: canOpenWhileClosing)
            feed.start()
            feed.deliver()
            // It says so before the list does.
            feed.handle(.event(.disconnected, 1))
            feed.carryOut { $0 == .proceed }
            #expect(feed.rules.target == (canOpenWhileClosing ? b : nil))
            feed.candidates = []
            feed.handle(.candidatesChanged)
            feed.carryOut { $0 == .proceed }
            let both: [DeviceFeedEvent] = [.using(a), .lost(a), .lost(b), .none]
            #expect(feed.events == (canOpenWhileClosing ? both : [.using(a), .lost(a)]))
            #expect(!feed.rules.isSettled)
            feed.settle()
            #expect(feed.events.last == DeviceFeedEvent.none && feed.open.isEmpty && feed.rules.isSettled)
        }
    }

    @Test("A device that is given up while capture is being started is closed after that")
    func released() {
        var feed = FakeFeedDevices([a, b])
        feed.handle(.start)
        feed.carryOut()
        feed.carryOut()
        #expect(feed.waiting == [.startCapture(1)])
        feed.handle(.event(.failed(DeviceError(.busy, "busy")), 1))
        #expect(!feed.waiting.contains(.close(1)))
        feed.carryOut { $0 == .startCapture(1) }
        #expect(feed.waiting.contains(.close(1)))
        feed.settle()
        #expect(feed.open.values.map(\.id) == ["b"] && feed.openings.count == 2)
    }

    @Test("A device that fails before it is open is closed when it is")
    func failsEarly() {
        var feed = FakeFeedDevices([a, b])
        feed.handle(.start)
        feed.carryOut()
        feed.handle(.event(.failed(DeviceError(.failed, "broken")), 1))
        feed.carryOut()
        #expect(feed.waiting.contains(.close(1)) && !feed.waiting.contains(.startCapture(1)))
        feed.settle()
        #expect(feed.open.values.map(\.id) == ["b"])
        #expect(feed.events == [.failed(a, DeviceError(.failed, "broken"))])
    }

    @Test("Retries come after 1, 2, 4, 8, 16 and 30 seconds, and again after 1 when a device has worked")
    func retries() {
        var feed = FakeFeedDevices([a])
        feed.broken["a"] = DeviceError(.busy, "busy")
        let start = feed.now
        feed.start()
        feed.pass(.seconds(91))
        let times = feed.openings.map { ($0.at - start).nanoseconds / 1_000_000_000 }
        #expect(times == [0, 1, 3, 7, 15, 31, 61, 91])
        #expect(feed.events == [.failed(a, DeviceError(.busy, "busy")), .none])
        feed.broken = [:]
        feed.pass(.seconds(30))
        feed.deliver()
        #expect(feed.events.last == .using(a))
        feed.broken["a"] = DeviceError(.busy, "busy")
        feed.tell(.failed(DeviceError(.busy, "busy")))
        #expect(feed.events.suffix(2) == [.failed(a, DeviceError(.busy, "busy")), .none])
        #expect(feed.rules.nextDeadline == feed.now + .seconds(1))
    }

    @Test("A device that works by the time of a retry is kept")
    func keepsWhatWorks() {
        var feed = FakeFeedDevices([a])
        feed.broken["a"] = DeviceError(.busy, "busy")
        feed.start()
        feed.connect([a, b])
        feed.deliver()
        feed.broken = [:]
        feed.pass(.seconds(100))
        #expect(feed.rules.device == b && feed.openings.map(\.device) == [a, b])
    }

    @Test("While no device works, one that becomes ready is tried at once")
    func becomesReady() {
        var unready = b
        unready.isReady = false
        var feed = FakeFeedDevices([a, unready])
        for id in ["a", "b"] as [DeviceID] { feed.broken[id] = DeviceError(.busy, "busy") }
        feed.start()
        feed.broken["b"] = nil
        feed.connect([a, b])
        feed.deliver()
        #expect(feed.rules.device == b && feed.openings.map(\.device.id) == ["a", "b", "b"])
    }

    @Test("That there is no device is said when the last one is closed, and retries count from then")
    func noneAtTheEnd() {
        var feed = FakeFeedDevices([a])
        feed.start()
        feed.handle(.event(.failed(DeviceError(.busy, "busy")), 1))
        feed.carryOut { $0 == .proceed }
        #expect(feed.events.count == 1 && feed.rules.nextDeadline == nil)
        feed.settle()
        #expect(feed.events.last == DeviceFeedEvent.none && feed.rules.nextDeadline == feed.now + .seconds(1))
    }

    @Test("A device that stops working is reopened once within ten seconds")
    func probation() {
        let broken = DeviceError(.failed, "broken")
        for (pause, opened) in [(TimeDelta.seconds(9), ["a", "a", "b"]), (.seconds(11), ["a", "a", "a"])] {
            var feed = FakeFeedDevices([a, b])
            feed.start()
            for _ in 0..<2 {
                feed.deliver()
                feed.tell(.failed(broken))
                feed.deliver()
                feed.pass(pause)
            }
            #expect(feed.openings.map(\.device.id.rawValue) == opened)
        }
    }

    @Test("Events of an earlier opening are ignored")
    func oldEvents() {
        var feed = FakeFeedDevices([a])
        feed.start()
        feed.handle(.reopen)
        feed.settle()
        for event in [CaptureEvent.interrupted(""), .resumed, .failed(DeviceError(.failed, "")), .disconnected] {
            feed.handle(.event(event, 1))
        }
        feed.settle()
        #expect(feed.events.isEmpty && feed.rules.target == a && feed.openings.count == 2)
    }
}
