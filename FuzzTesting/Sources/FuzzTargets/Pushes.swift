import NIOCore
import NIOEmbedded
import RTCSignaling
import Synchronization

/// What a client registers, and what the app's own server and Apple's push service answer.
func fuzzPush(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    switch input.number(below: 5) {
    case 0: checkRegistration(input.rest())
    case 1:
        let status = Int(input.byte()) << 8 | Int(input.byte())
        let time = Int64(truncatingIfNeeded: input.number(below: 2) == 0 ? 1_800_000_000 : Int.max)
        PushParsers.read(status: status, retryAfter: input.text(limit: 30), body: input.rest(), at: time)
    case 2: answerWebhook(&input)
    case 3: answerPush(&input)
    default: ringPhones(&input)
    }
}

/// A token that was accepted is nothing but digits, and no description shows it.
private func checkRegistration(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    for token in [PushToken(rawValue: text), registered(bytes)].compactMap(\.self) {
        let digits = token.rawValue.utf8
        precondition((32...200).contains(digits.count) && digits.count.isMultiple(of: 2), "a length that is none")
        precondition(digits.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }, "no digit")
        precondition(PushToken(rawValue: token.rawValue) == token)
        precondition(!"\(token) \(String(reflecting: token))".contains(token.rawValue), "shown")
    }
}

private func registered(_ json: [UInt8]) -> PushToken? {
    guard case .pushToken(let registration)? = try? Envelope<ClientMessage>(json: json).message else { return nil }
    return registration.token
}

// MARK: - Rules

/// Registrations, calls and outcomes in any order.
private func ringPhones(_ input: inout FuzzInput) {
    var limits = PushLimits()
    (limits.concurrent, limits.waiting, limits.tokens, limits.calls) = (2, 6, 5, 4)
    var pushes = PushesInVirtualTime(limits)
    let outcomes: [PushOutcome] = [
        .delivered, .unreachable, .failed(), .failed(retryAfter: .seconds(20)), .refused, .deadToken(since: nil),
        .deadToken(since: .seconds(5)),
    ]
    var steps = 0
    while !input.isEmpty, steps < 500 {
        steps += 1
        guard let one = address(&input), let other = address(&input), let device = one.device,
            let call = CallID(rawValue: "0123456789abcde\(input.number(below: 8))")
        else { preconditionFailure("no identifiers") }
        let number = input.byte()
        switch input.number(below: 7) {
        case 0: pushes.handle(.registered(one, PushToken(bytes: [UInt8](repeating: number % 8, count: 32))))
        case 1 where number % 2 == 0: pushes.handle(.registered(one, nil))
        case 1:
            guard let token = PushToken(bytes: [UInt8](repeating: number % 8, count: 32)) else { continue }
            let age = Duration.seconds(Int64(number) * 86_400)
            pushes.handle(.known([KnownPushToken(user: one.user, device: device, token: token, age: age)]))
        case 2:
            let callee = number % 2 == 0 ? other : SignalingAddress(user: other.user)
            pushes.handle(
                .began(
                    RingingCall(
                        id: call, caller: SignalingPeer(user: one.user, device: device), callee: callee,
                        connectedDevices: number % 3 == 0 ? [device] : [], timeLeft: .seconds(Int64(number)))))
        case 3: pushes.handle(.rings(call, device))
        case 4:
            let end = RingEnd.answered(by: SignalingPeer(user: other.user, device: device))
            pushes.handle(.ended(call, number % 2 == 0 ? end : .ended(reason: "cancelled")))
        case 5: pushes.finish(Int(number), outcomes[input.number(below: outcomes.count)])
        default: pushes.advance(.milliseconds(Int64(number) * 100))
        }
    }
    pushes.end()
}

private func address(_ input: inout FuzzInput) -> SignalingAddress? {
    SignalingAddress("user\(input.number(below: 3))/device\(input.number(below: 3))")
}

// MARK: - Answers

private func answerWebhook(_ input: inout FuzzInput) {
    let lines = [
        "HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 302 Found\r\n", "HTTP/1.0 503 x\r\n",
        "content-length: 20\r\n", "transfer-encoding: chunked\r\n", "retry-after: 9\r\n", "\r\n", "5\r\nabcde\r\n",
        "0\r\n\r\n", "{\"reachable\":false}", "HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n",
    ]
    answer(&input, PushParsers.addWebhook) { input in
        let number = input.number(below: lines.count + 4)
        return number < lines.count ? Array(lines[number].utf8) : input.chunk()
    }
}

private func answerPush(_ input: inout FuzzInput) {
    answer(&input, PushParsers.addPush) { input in
        let flags = input.byte()
        // Odd streams are the client's: its only one is the first.
        let stream = UInt8(input.number(below: 4))
        switch input.number(below: 8) {
        case 0: return input.chunk()
        case 1: return frame(4, flags & 1, 0, input.chunk(limit: 60))
        case 2:
            let status = Array(input.text(limit: 8).utf8)
            return frame(1, flags | 4, stream, [8, UInt8(min(status.count, 126))] + status.prefix(126))
        case 3: return frame(0, flags, stream, Array("{\"reason\":\"Shutdown\"}".utf8))
        default: return frame(UInt8(input.number(below: 11)), flags, stream, input.chunk(limit: 300))
        }
    }
}

/// A frame of HTTP/2 (RFC 9113, section 4.1).
private func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0, UInt8(payload.count >> 8 & 255), UInt8(payload.count & 255), type, flags, 0, 0, 0, stream] + payload
}

/// A request, and a server that answers with pieces until it has no more. There is one outcome, whatever it says.
private func answer(
    _ input: inout FuzzInput, _ begin: (any Channel, @escaping @Sendable (PushOutcome) -> Void) throws -> Void,
    _ piece: (inout FuzzInput) -> [UInt8]
) {
    let loop = EmbeddedEventLoop()
    let channel = EmbeddedChannel(loop: loop)
    let outcomes = Mutex(0)
    do {
        try begin(channel) { _ in outcomes.withLock { $0 += 1 } }
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
    } catch {
        preconditionFailure("no request can be sent: \(error)")
    }
    loop.run()
    var steps = 0
    while !input.isEmpty, channel.isActive, steps < 200 {
        steps += 1
        _ = try? channel.writeInbound(ByteBuffer(bytes: piece(&input)))
        loop.run()
        while let sent = try? channel.readOutbound(as: ByteBuffer.self) {
            precondition(sent.readableBytes < 100_000, "an answer without bound")
        }
    }
    _ = try? channel.finish(acceptAlreadyClosed: true)
    loop.run()
    precondition(outcomes.withLock { $0 } == 1, "no outcome, or more than one")
}
