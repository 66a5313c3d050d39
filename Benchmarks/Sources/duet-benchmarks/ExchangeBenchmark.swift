import ArgumentParser
import Foundation
import RTCSignaling

/// What clients cost as state of the exchange, without sockets, and calls among them: an exchange in memory, driven in one thread.
struct ExchangeBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "exchange")

    @Option(help: "How many clients are signed in.")
    var clients = 50_000

    @Option(help: "How many calls there are, one after the other, between pairs of them.")
    var calls = 5_000

    func run() async throws {
        var limits = ExchangeLimits()
        limits.sessions = max(limits.sessions, clients)
        var world = World(limits)
        // The first ones pay for what all share.
        let warmUp = min(200, clients / 10)
        for _ in 0..<warmUp { try world.signIn() }
        let before = ResidentMemory.bytes
        var processor = ProcessorTime.seconds
        for _ in warmUp..<clients { try world.signIn() }
        let signedIn = ProcessorTime.seconds - processor
        let memory = Double(ResidentMemory.bytes - before) / Double(clients - warmUp) / 1_024

        var delays: [Double] = []
        processor = ProcessorTime.seconds
        for number in 0..<calls { try world.call(number, of: clients, delays: &delays) }
        let called = ProcessorTime.seconds - processor
        guard world.exchange.statistics.sessions == clients, world.exchange.statistics.answers == calls, !delays.isEmpty
        else {
            throw ValidationError("not all clients and calls were taken: \(world.exchange.statistics)")
        }
        delays.sort()
        print(
            """
            {"benchmark":"exchange","clients":\(clients),"kibibytesPerClient":\(rounded(memory)),\
            "microsecondsPerSignIn":\(rounded(signedIn / Double(clients - warmUp) * 1e6)),\
            "calls":\(calls),"microsecondsPerCall":\(rounded(called / Double(max(calls, 1)) * 1e6)),\
            "inviteP99Microseconds":\(rounded(delays[delays.count * 99 / 100])),\
            "longestMicroseconds":\(rounded(delays[delays.count - 1]))}
            """)
    }
}

/// An exchange whose clock moves by a millisecond with each input.
private struct World {
    let exchange: MemoryExchange
    private var now: Duration = .seconds(1)
    private var count = 0
    /// Of each client, by its place: how many numbered messages it has sent, and received.
    private var sent: [UInt64] = []
    private var received: [UInt64] = []
    private static let sdp = "v=0\r\n" + String(repeating: "a=rtpmap:96 VP8/90000\r\n", count: 100)

    init(_ limits: ExchangeLimits) {
        exchange = MemoryExchange(limits: limits)
    }

    mutating func signIn() throws {
        let address = try address(of: count)
        count += 1
        sent.append(0)
        received.append(0)
        let signIn = ExchangeSignIn(user: address.user, device: address.device, network: "192.0.2.\(count % 250)")
        handle(.signIn(ConnectionID(rawValue: UInt64(count)), signIn))
    }

    /// A call from invitation to hang-up, with what its sides acknowledge.
    mutating func call(_ number: Int, of clients: Int, delays: inout [Double]) throws {
        let caller = number * 2 % (clients - 1)
        let callee = caller + 1
        let call = CallID.random()
        let start = ContinuousClock.now
        say(
            .invite(Invite(call: call, to: try address(of: callee), description: .sdp(type: .offer, sdp: Self.sdp))),
            caller)
        delays.append((ContinuousClock.now - start) / .microseconds(1))
        say(.ringing(CallReference(call: call)), callee)
        say(.answer(Answer(call: call, description: .sdp(type: .answer, sdp: Self.sdp))), callee)
        say(.hangup(HangUp(call: call)), caller)
        for client in [caller, callee] { handle(message(.ack, of: client, seq: nil)) }
    }

    private func address(of number: Int) throws -> SignalingAddress {
        guard let address = SignalingAddress("user\(number)/phone") else { throw ValidationError("no address") }
        return address
    }

    private mutating func say(_ message: ClientMessage, _ client: Int) {
        sent[client] += 1
        handle(self.message(message, of: client, seq: sent[client]))
    }

    private func message(_ message: ClientMessage, of client: Int, seq: UInt64?) -> ExchangeInput {
        .message(ConnectionID(rawValue: UInt64(client + 1)), Envelope(message, seq: seq, ack: received[client]))
    }

    private mutating func handle(_ input: ExchangeInput) {
        now += .milliseconds(1)
        exchange.handle(input, at: now)
        if let deadline = exchange.nextDeadline, deadline <= now { exchange.handle(.timeout, at: now) }
        while let output = exchange.nextOutput() {
            guard case .send(let connection, let json) = output,
                let seq = try? Envelope<ServerMessage>(json: json, limit: 1 << 20).seq
            else { continue }
            received[Int(connection.rawValue) - 1] = seq
        }
    }
}
