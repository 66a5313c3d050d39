import RTCTransport
import RTCWire
import Testing

@Suite("One port for many agents")
struct ICEDemultiplexerTests {
    private typealias Agent = ICEDemultiplexer.AgentID
    private let random = SeededRandom(seed: 6)
    private let crypto = STUNTestCrypto()
    private let one = Agent(1)
    private let two = Agent(2)
    private let application: [UInt8] = [23, 254, 253, 0, 1]

    private func path(_ number: Int, socket: UInt32 = 1) -> TransportPath {
        TransportPath(
            socket: SocketID(socket),
            remote: TransportAddress(
                ip: IPAddress(v4: 0xC000_0200 + UInt32(number >> 14)), port: UInt16(1_024 + number & 0x3FFF)))
    }

    private func check(_ local: String) -> [UInt8] {
        stunMessage(.request, .binding, .random(from: random)) { $0.write(.username, "\(local):else") } ?? []
    }

    private func answer(to request: [UInt8], _ messageClass: STUNClass = .successResponse) -> [UInt8] {
        let id = request.withUnsafeBytes { bytes -> STUNTransactionID? in
            guard let message = STUNMessage(bytes.bytes) else { return nil }
            return message.transactionID
        }
        return id.flatMap { stunMessage(messageClass, .binding, $0) { _ in } } ?? []
    }

    private func route(
        _ demultiplexer: inout ICEDemultiplexer, _ bytes: [UInt8], _ path: TransportPath
    ) -> ICEDemultiplexer.Destination {
        bytes.withUnsafeBytes { demultiplexer.destination(of: $0.bytes, on: path) }
    }

    private func sent(_ demultiplexer: inout ICEDemultiplexer, _ bytes: [UInt8], by agent: ICEDemultiplexer.AgentID) {
        bytes.withUnsafeBytes { demultiplexer.sent($0.bytes, by: agent) }
    }

    private func make() -> ICEDemultiplexer {
        var demultiplexer = ICEDemultiplexer()
        demultiplexer.setFragments(["aaaa"], of: one)
        demultiplexer.setFragments(["bbbb", "BBBB"], of: two)
        return demultiplexer
    }

    @Test("A check names its agent, and what follows from its address is that agent's")
    func checks() {
        var demultiplexer = make()
        #expect(route(&demultiplexer, application, path(1)) == .nobody)
        #expect(route(&demultiplexer, check("aaaa"), path(1)) == .agent(one))
        #expect(route(&demultiplexer, check("BBBB"), path(2)) == .agent(two))
        #expect(route(&demultiplexer, application, path(1)) == .agent(one))
        #expect(route(&demultiplexer, application, path(2)) == .agent(two))
        // Another socket is another path.
        #expect(route(&demultiplexer, application, path(1, socket: 2)) == .nobody)
        #expect(demultiplexer.strayCount == 2 && demultiplexer.pathCount == 2)
    }

    @Test("A NAT that gives a peer another port is followed with the next check")
    func rebinding() {
        var demultiplexer = make()
        _ = route(&demultiplexer, check("aaaa"), path(1))
        #expect(route(&demultiplexer, application, path(7)) == .nobody)
        #expect(route(&demultiplexer, check("aaaa"), path(7)) == .agent(one))
        #expect(route(&demultiplexer, application, path(7)) == .agent(one))
    }

    @Test("An answer belongs to whoever asked, wherever it comes from")
    func answers() {
        var demultiplexer = make()
        let (request, other) = (check("remote"), check("remote"))
        sent(&demultiplexer, request, by: one)
        sent(&demultiplexer, other, by: two)
        #expect(route(&demultiplexer, answer(to: other, .errorResponse), path(3)) == .agent(two))
        #expect(demultiplexer.pathCount == 0)
        #expect(route(&demultiplexer, answer(to: request), path(3)) == .agent(one))
        // A lite agent never checks: its answer is all that there is.
        #expect(route(&demultiplexer, application, path(3)) == .agent(one))
        #expect(route(&demultiplexer, answer(to: check("remote")), path(3)) == .nobody)
    }

    @Test("Who shares an address with others takes nothing away from them")
    func sharedAddress() {
        var demultiplexer = make()
        _ = route(&demultiplexer, check("aaaa"), path(1))
        demultiplexer.markValidated(path(1), of: one)
        #expect(route(&demultiplexer, check("bbbb"), path(1)) == .agent(two))
        #expect(route(&demultiplexer, application, path(1)) == .oneOf([one, two]))
        demultiplexer.remove(one)
        #expect(route(&demultiplexer, application, path(1)) == .agent(two))
        demultiplexer.remove(two)
        #expect(route(&demultiplexer, application, path(1)) == .nobody)
        #expect(demultiplexer.pathCount == 0 && demultiplexer.agentCount == 0)
    }

    @Test("More agents at one address than there is room for: those that proved themselves stay")
    func crowdedAddress() {
        var demultiplexer = ICEDemultiplexer()
        for number: UInt32 in 1...20 { demultiplexer.setFragments(["frag\(number)"], of: Agent(number)) }
        for number: UInt32 in 1...20 {
            _ = route(&demultiplexer, check("frag\(number)"), path(1))
            if number == 2 { demultiplexer.markValidated(path(1), of: Agent(2)) }
        }
        guard case .oneOf(let agents) = route(&demultiplexer, application, path(1)) else {
            Issue.record("nobody has the address")
            return
        }
        #expect(agents.count == ICEDemultiplexer.maximumAgentsPerPath && agents.contains(Agent(2)))
    }

    @Test("Fragments come and go with the generations")
    func generations() {
        var demultiplexer = make()
        demultiplexer.setFragments(["aaaa", "cccc"], of: one)
        #expect(route(&demultiplexer, check("cccc"), path(1)) == .agent(one))
        demultiplexer.setFragments(["cccc"], of: one)
        #expect(route(&demultiplexer, check("aaaa"), path(1)) == .nobody)
        #expect(route(&demultiplexer, application, path(1)) == .agent(one))
    }

    @Test("A flood of strangers fills nothing; one that knows a fragment pushes out nobody who has proved himself")
    func flood() {
        var demultiplexer = make()
        _ = route(&demultiplexer, check("aaaa"), path(0))
        demultiplexer.markValidated(path(0), of: one)
        for number in 1...20_000 {
            #expect(route(&demultiplexer, check("zzz\(number)"), path(number)) == .nobody)
            #expect(route(&demultiplexer, random.bytes(1 + number % 60), path(number)) == .nobody)
        }
        #expect(demultiplexer.pathCount == 1 && demultiplexer.strayCount == 40_000)
        for number in 1...20_000 { _ = route(&demultiplexer, check("aaaa"), path(number)) }
        #expect(demultiplexer.pathCount == ICEDemultiplexer.maximumPaths)
        #expect(route(&demultiplexer, application, path(0)) == .agent(one))
        for _ in 0..<10_000 { sent(&demultiplexer, check("remote"), by: one) }
        #expect(demultiplexer.transactionCount == ICEDemultiplexer.maximumTransactions)
        demultiplexer.remove(one)
        #expect(demultiplexer.pathCount == 0 && demultiplexer.transactionCount == 0)
    }
}
