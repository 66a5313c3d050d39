import EventLoopTesting
import NIOCore
import RTCWire
import Synchronization
import Testing

@testable import RTCNetwork

/// A lookup whose name server is the test, in virtual time.
private struct Script {
    var lookup: AddressLookup
    var now = Instant.zero
    var log: [String] = []

    init(_ host: String, needsNAT64: Bool = false) {
        lookup = AddressLookup(host, needsNAT64: needsNAT64, timeout: .seconds(5), at: .zero)
        drain()
    }

    mutating func answer(_ question: AddressLookup.Question, _ texts: String...) {
        let addresses = texts.compactMap { IPAddress($0) }
        lookup.receive(addresses.isEmpty ? .notFound : .addresses(addresses), to: question, at: now)
        drain()
    }

    mutating func refuse(_ question: AddressLookup.Question) {
        lookup.receive(.noServer, to: question, at: now)
        drain()
    }

    mutating func run(untilMilliseconds end: Int64) {
        let end = Instant.zero + .milliseconds(end)
        while let deadline = lookup.nextDeadline, deadline <= end {
            now = max(now, deadline)
            lookup.handleTimeout(at: now)
            drain()
        }
        now = end
    }

    private mutating func drain() {
        while let output = lookup.pollOutput() {
            let time = (now - .zero).milliseconds
            switch output {
            case .found(let addresses): log.append("\(time) \(addresses.map(\.description).joined(separator: " "))")
            case .settled(.success): log.append("\(time) settled")
            case .settled(.failure(let error)): log.append("\(time) \(error)")
            }
        }
    }
}

@Suite("The course of a lookup")
struct AddressLookupTests {
    @Test("Both families are asked for at once, and the lookup is settled when both are there")
    func ordinary() {
        var script = Script("a.example")
        #expect(Set(script.lookup.questions) == [.ipv6, .ipv4])
        script.run(untilMilliseconds: 10)
        script.answer(.ipv4, "192.0.2.1")
        script.run(untilMilliseconds: 20)
        script.answer(.ipv6, "2001:db8::1")
        #expect(script.log == ["10 192.0.2.1", "20 2001:db8::1", "20 settled"])
        #expect(script.lookup.isOver && script.lookup.nextDeadline == nil)
    }

    @Test("A slow AAAA does not delay A, and is used when it comes")
    func slowSecondFamily() {
        var script = Script("a.example")
        script.answer(.ipv4, "192.0.2.1")
        script.run(untilMilliseconds: 3_000)
        script.answer(.ipv6, "2001:db8::1")
        #expect(script.log == ["0 192.0.2.1", "250 settled", "3000 2001:db8::1"])
    }

    @Test("A name server that never answers AAAA is not waited for")
    func silentSecondFamily() {
        var script = Script("a.example")
        script.run(untilMilliseconds: 100)
        script.answer(.ipv4, "192.0.2.1")
        script.run(untilMilliseconds: 10_000)
        script.answer(.ipv6, "2001:db8::1")
        #expect(script.log == ["100 192.0.2.1", "350 settled"])
        #expect(script.lookup.isOver)
    }

    @Test("A dead name server costs the time-out and no more")
    func dead() {
        var script = Script("a.example")
        script.run(untilMilliseconds: 60_000)
        #expect(script.log == ["5000 \(ResolutionError.timedOut("a.example"))"])
        #expect(script.lookup.isOver && script.lookup.nextDeadline == nil)
    }

    @Test("Who has no addresses, and who has not been asked, are told apart")
    func failures() {
        var script = Script("a.example")
        script.answer(.ipv6)
        script.answer(.ipv4)
        #expect(script.log == ["0 \(ResolutionError.notFound("a.example"))"])
        script = Script("a.example")
        script.answer(.ipv6)
        script.refuse(.ipv4)
        #expect(script.log == ["0 \(ResolutionError.noServer("a.example"))"])
        script = Script("a.example")
        script.answer(.ipv6)
        script.run(untilMilliseconds: 5_000)
        #expect(script.log == ["5000 \(ResolutionError.timedOut("a.example"))"])
    }

    @Test("A lying name server gives few addresses, and none that no server has")
    func lies() {
        var script = Script("a.example")
        script.answer(.ipv4, "0.0.0.0", "224.0.0.1", "255.255.255.255", "2001:db8::bad", "192.0.2.1", "192.0.2.1")
        script.answer(.ipv4, "192.0.2.66")
        script.answer(
            .ipv6, "::", "ff02::1", "::ffff:192.0.2.1", "fe80::1", "2001:db8::1", "2001:db8::2", "2001:db8::3")
        #expect(script.log == ["0 192.0.2.1", "0 2001:db8::1 2001:db8::2", "0 settled"])
        script = Script("a.example")
        script.answer(.ipv4, "0.0.0.0")
        script.answer(.ipv6, "::")
        #expect(script.log == ["0 \(ResolutionError.notFound("a.example"))"])
    }

    @Test("A literal address needs nobody", arguments: ["192.0.2.1", "2001:db8::1", "::1"])
    func literals(text: String) {
        let script = Script(text)
        #expect(script.lookup.questions.isEmpty && script.lookup.isOver)
        #expect(script.log == ["0 \(text)", "0 settled"])
    }

    @Test("Without IPv4, a literal IPv4 address is reached through the network's NAT64")
    func literalThroughNAT64() {
        var script = Script("192.0.2.33", needsNAT64: true)
        #expect(script.lookup.questions == [.nat64] && script.log.isEmpty)
        script.answer(.nat64, "2001:db8:64::192.0.0.170", "2001:db8:64::192.0.0.171")
        #expect(script.log == ["0 2001:db8:64::c000:221", "0 settled"])
        #expect(Script("2001:db8::1", needsNAT64: true).log == ["0 2001:db8::1", "0 settled"])
    }

    @Test("Without a prefix in good time, the address is told as it is")
    func noPrefix() {
        var script = Script("192.0.2.33", needsNAT64: true)
        script.answer(.nat64)
        #expect(script.log == ["0 192.0.2.33", "0 settled"])
        script = Script("192.0.2.33", needsNAT64: true)
        script.run(untilMilliseconds: 5_000)
        #expect(script.log == ["5000 192.0.2.33", "5000 settled"])
    }

    @Test("Without IPv4, the A records of a name are put behind the prefix, once each")
    func nameThroughNAT64() {
        var script = Script("a.example", needsNAT64: true)
        #expect(Set(script.lookup.questions) == Set(AddressLookup.Question.allCases))
        script.answer(.ipv4, "192.0.2.33", "192.0.2.34")
        script.run(untilMilliseconds: 20)
        // What a DNS64 makes of the first of them.
        script.answer(.ipv6, "64:ff9b::192.0.2.33")
        script.run(untilMilliseconds: 30)
        script.answer(.nat64, "64:ff9b::192.0.0.170")
        #expect(script.log == ["20 64:ff9b::c000:221", "30 64:ff9b::c000:222", "30 settled"])
    }

    @Test("A dead NAT64 discovery does not hold up AAAA")
    func deadDiscovery() {
        var script = Script("a.example", needsNAT64: true)
        script.answer(.ipv6, "2001:db8::1")
        script.answer(.ipv4, "192.0.2.1")
        script.run(untilMilliseconds: 6_000)
        #expect(script.log == ["0 2001:db8::1", "250 settled", "5000 192.0.2.1"])
    }

    @Test("NAT64 is for machines that have IPv6 alone")
    func whoNeedsNAT64() {
        func address(_ text: String, isUp: Bool = true) -> InterfaceAddress {
            InterfaceAddress(
                interface: NetworkInterface(name: "eth0", index: 1, kind: .wired, isUp: isUp), ip: IPAddress(text)!)
        }
        #expect(NameResolver.needsNAT64([address("2001:db8::1")]))
        #expect(NameResolver.needsNAT64([address("2001:db8::1"), address("127.0.0.1"), address("169.254.1.1")]))
        #expect(NameResolver.needsNAT64([address("2001:db8::1"), address("192.0.2.1", isUp: false)]))
        #expect(!NameResolver.needsNAT64([address("2001:db8::1"), address("10.0.0.1")]))
        #expect(!NameResolver.needsNAT64([address("127.0.0.1"), address("::1")]))
        #expect(!NameResolver.needsNAT64([]))
    }
}

/// A name server that answers as it is told: late, twice, or never.
private final class FakeNameSource: NameSource {
    typealias Completion = @Sendable (AddressLookup.Answer) -> Void
    private let answers: [String: [AddressLookup.Answer]]
    private let waiting = Mutex<[Completion]>([])

    /// - Parameter answers: By the name and the family, such as `a.example/4`.
    init(_ answers: [String: [AddressLookup.Answer]]) {
        self.answers = answers
    }

    func ask(_ host: String, wantsIPv6: Bool, _ completion: @escaping Completion) {
        guard let answers = answers["\(host)/\(wantsIPv6 ? 6 : 4)"] else {
            return waiting.withLock { $0.append(completion) }
        }
        for answer in answers { completion(answer) }
    }

    /// Answers all that wait.
    func wake(_ answer: AddressLookup.Answer) {
        for completion in waiting.withLock({ waiting in
            defer { waiting = [] }
            return waiting
        }) {
            completion(answer)
        }
    }
}

@Suite("Lookups on the event loop")
struct NameLookupTests {
    @Test("Addresses are handed over as they come, and dead names delay nobody")
    func streaming() async throws {
        try await onEventLoop { test, loop in
            let source = FakeNameSource(["a.example/4": [.addresses([IPAddress(192, 0, 2, 1)]), .notFound]])
            var outcomes = 0
            for number in 0..<100 {
                NameResolver.resolve(
                    "dead\(number).example", timeout: .milliseconds(700), from: source, multicast: nil,
                    needsNAT64: false, on: loop,
                    found: { _ in Issue.record("a dead server had an address") },
                    completion: { result in
                        outcomes += 1
                        #expect((try? result.get()) == nil)
                    })
            }
            var found: [IPAddress] = []
            var result: Result<[IPAddress], ResolutionError>?
            let start = NIODeadline.now()
            NameResolver.resolve(
                "a.example", timeout: .seconds(5), from: source, multicast: nil, needsNAT64: false, on: loop,
                found: { found += $0 }, completion: { result = $0 })
            try await wait(isolation: test) { !found.isEmpty }
            #expect(NIODeadline.now() - start < .milliseconds(200))
            #expect(result == nil)
            try await wait(isolation: test) { result != nil }
            #expect(result == .success([IPAddress(192, 0, 2, 1)]))
            try await wait(isolation: test) { outcomes == 100 }
            #expect(outcomes == 100)
            source.wake(.addresses([IPAddress(v6High: 0x2001_0DB8 << 32, low: 1)]))
            try await wait(isolation: test) { found.count == 2 }
            #expect(found.count == 2)
        }
    }

    @Test("A lookup that was cancelled calls nobody, whatever the name server says later")
    func cancellation() async throws {
        try await onEventLoop { _, loop in
            let source = FakeNameSource([:])
            let lookup = NameResolver.resolve(
                "a.example", timeout: .milliseconds(20), from: source, multicast: nil, needsNAT64: true, on: loop,
                found: { _ in Issue.record("found") }, completion: { _ in Issue.record("completed") })
            lookup.cancel()
            source.wake(.addresses([IPAddress(192, 0, 2, 1)]))
            try await Task.sleep(for: .milliseconds(60))
        }
    }
}
