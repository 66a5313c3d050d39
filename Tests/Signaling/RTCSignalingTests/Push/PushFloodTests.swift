import NIOCore
import Testing

@testable import RTCSignaling

@Suite("Pushes under attack")
struct PushFloodTests {
    private func call(_ number: Int) -> CallID { CallID(stringLiteral: "call\(number)") }

    private func ring(_ number: Int, _ pushes: inout VirtualPushes) {
        let caller = SignalingAddress(stringLiteral: "caller\(number)/a")
        pushes.ring(call(number), from: caller, to: SignalingAddress(stringLiteral: "callee\(number)"))
    }

    @Test("A webhook's server that does not answer delays no push, and takes no room from one")
    func slowWebhook() {
        var pushes = VirtualPushes { ($0.concurrent, $0.waiting) = (2, 4) }
        for number in 0..<10 { ring(number, &pushes) }
        #expect(pushes.sent.count == 2 && pushes.plan.statistics.waiting == 4)
        pushes.register(1, "bob/phone")
        pushes.ring("call")
        #expect(pushes.history.last == "1" && !pushes.unreachable.contains("call"))
    }

    @Test("A push service that does not answer delays no event")
    func slowPushes() {
        var pushes = VirtualPushes { ($0.concurrent, $0.waiting) = (2, 4) }
        for number in 0..<10 {
            pushes.register(UInt8(number), SignalingAddress(stringLiteral: "callee\(number)/d"))
            pushes.answer = { if case .webhook = $0.content { .delivered } else { nil } }
            ring(number, &pushes)
        }
        #expect(pushes.history.count { $0 == "ringing" } == 10 && pushes.sent.count == 2)
    }

    @Test("A client that registers its token and takes it back all the time leaves one timer behind")
    func registrations() {
        var pushes = VirtualPushes()
        for _ in 0..<1_000 {
            pushes.register(1, "mallory/phone")
            pushes.tell(.registered("mallory/phone", nil))
            pushes.advance(.milliseconds(1))
        }
        pushes.register(1, "mallory/phone")
        pushes.advance(.seconds(86_400))
        #expect(pushes.timeouts <= 25)
    }

    @Test("Calls that begin and end while a service is slow leave nothing behind")
    func cancelledCalls() {
        var pushes = VirtualPushes { $0.concurrent = 1 }
        ring(0, &pushes)
        for number in 1...5_000 {
            ring(number, &pushes)
            pushes.end(call(number))
        }
        #expect(pushes.plan.remembered <= 70 && pushes.plan.statistics.waiting == 1)
    }

    @Test("A full registry is not searched at each registration")
    func fullRegistry() {
        var limits = PushLimits()
        (limits.tokens, limits.tokenLifetime) = (2, .seconds(100))
        var registry = PushRegistry(limits)
        #expect(registry.register(PushToken(1), for: "alice/a", at: .zero) == true)
        #expect(registry.register(PushToken(2), for: "bob/b", at: .seconds(50)) == true)
        #expect(registry.register(PushToken(3), for: "carol/c", at: .seconds(95)) == false)
        #expect(registry.register(PushToken(3), for: "carol/c", at: .seconds(101)) == false, "searched a moment ago")
        #expect(registry.register(PushToken(3), for: "carol/c", at: .seconds(155)) == true)
    }

    @Test("A table of rates that is full of keys in use is not searched at each new one")
    func fullTable() {
        var table = RateTable<Int>()
        let limit = PushLimits.Rate(every: .seconds(1_000_000), burst: 3).limit
        for key in 0..<130_000 { table.take(of: key, limit, at: .zero) }
        #expect(table.count <= 100_000 && table.count > 80_000)
        #expect(table.available(to: 129_999, limit, at: .zero) == 2)
    }

    @Test("Many tokens are collected seldom")
    func storing() {
        #expect(PushDriver.storeDelay(tokens: 1_000) < .seconds(6))
        #expect(PushDriver.storeDelay(tokens: 200_000) > .seconds(100))
    }
}
