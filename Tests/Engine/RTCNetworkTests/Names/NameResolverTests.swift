import EventLoopTesting
import NIOCore
import NIOPosix
import RTCWire
import Testing

@testable import RTCNetwork

@Suite("Name resolution")
struct NameResolverTests {
    @Test("A literal is answered before the call returns")
    func literals() async throws {
        try await onEventLoop { _, loop in
            for text in ["192.0.2.1", "2001:db8::1"] {
                var answer: [IPAddress] = []
                NameResolver.resolve(text, multicast: nil, on: loop) { answer = (try? $0.get()) ?? [] }
                #expect(answer.map(\.description) == [text])
            }
        }
    }

    @Test("localhost is a loopback address")
    func localhost() async throws {
        let addresses = try await NameResolver.addresses(of: "localhost", multicast: nil)
        #expect(!addresses.isEmpty)
        #expect(addresses.allSatisfy { $0.isLoopback })
    }

    @Test(
        "What cannot be a host name is refused without a lookup",
        arguments: [
            "", ".", "a..b", "exa mple.org", "a/b", "ex\u{0}ample.org", "é.example", String(repeating: "a", count: 64),
        ])
    func invalidNames(name: String) async {
        await #expect(throws: ResolutionError.invalidName(name)) {
            try await NameResolver.addresses(of: name, multicast: nil)
        }
    }

    @Test("A name that does not exist fails, and does so within the time-out")
    func unknownName() async {
        let start = NIODeadline.now()
        await #expect(throws: ResolutionError.self) {
            try await NameResolver.addresses(of: "no-such-host.invalid", timeout: .milliseconds(500), multicast: nil)
        }
        #expect(NIODeadline.now() - start < .seconds(5))
    }

    @Test("A cancelled lookup throws at once, and never calls back")
    func cancellation() async throws {
        let task = Task {
            try await NameResolver.addresses(of: "no-such-host.invalid", timeout: .seconds(30), multicast: nil)
        }
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }

        try await onEventLoop { _, loop in
            let lookup = NameResolver.resolve(
                "no-such-host.invalid", timeout: .milliseconds(1), multicast: nil, on: loop
            ) { _ in
                Issue.record("A cancelled lookup called back.")
            }
            lookup.cancel()
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
