import Dispatch
import NIOCore
import NIOPosix
import Testing

@testable import RTCSignaling

@Suite("The order in which a client's messages are sent", .timeLimit(.minutes(1)))
struct SendingOrderTests {
    /// An event loop that is late with writing an invitation, and then sends the call's first candidates itself: a server that got them
    /// first would end the session, since their number is not the next one.
    @Test("What an event loop sends does not overtake what another thread has sent before")
    func eventLoop() async throws {
        try await withServer { server in
            let alice = try await TestClient(server, "alice/a")
            let call = CallID.random()
            let candidates = Candidates(call: call, candidates: [.candidate(.init(candidate: "candidate:1"))])
            let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
            let gate = DispatchSemaphore(value: 0)
            // One of them is the client's.
            let loops = Array(MultiThreadedEventLoopGroup.singleton.makeIterator())
            for loop in loops {
                loop.execute {
                    arrival.yield()
                    gate.wait()
                    try? alice.client.send(.candidates(candidates))
                }
            }
            for await _ in arrivals.prefix(loops.count) {}
            let invitation = Result { try alice.client.invite("nobody", call: call, lifetime: 1) }
            for _ in loops { gate.signal() }
            #expect(try invitation.get() == call)
            // A server that has lost the session lets the repeated invitation ring, as if it had been restarted.
            #expect(try await alice.nextType() == "unavailable")
            #expect(await server.statistics().exchange.signIns == 1)
            await alice.client.disconnect()
        }
    }
}
