public import RTCSignaling

/// What kits read from each other, and from a Duet server: for fuzzing. Each function traps when it finds a mistake.
@_spi(Testing) public enum KitMessages {
    /// What was read as a signal can be said again, and then means the same.
    public static func checkSignal(_ bytes: [UInt8]) {
        guard let signal = try? CallSignal(decoding: bytes) else { return }
        precondition((try? CallSignal(decoding: signal.encoded())) == signal, "the signal means something else")
    }

    /// What was read as a candidate can be said again, and then means the same.
    public static func checkCandidate(_ bytes: [UInt8]) {
        guard let candidate = try? CallCandidate(decoding: bytes) else { return }
        precondition((try? CallCandidate(decoding: candidate.encoded())) == candidate, "the candidate is another")
    }

    /// Whatever a server hands on as a step of a verification is one to the kit, or makes the verification of that call fail.
    public static func checkVerification(_ data: [UInt8]) {
        guard let call = CallIdentifier(rawValue: "0123456789abcdef") else { preconditionFailure("no identifier") }
        do throws(CallSignalError) {
            let typed = VerificationData.message(data)
            let signal = try CallSignal(decoding: VerificationData.signal(call: call.rawValue, data: data))
            guard signal.call == call, case .verify(let message) = signal.content else {
                preconditionFailure("a step of a verification became something else")
            }
            precondition(message == typed, "the step is another without its bytes")
            let said = VerificationData.signal(call: call.rawValue, data: VerificationData(message).json())
            precondition(said == signal.encoded(), "the step is another")
        } catch {
            precondition(error == .badVerification(call), "a step that cannot be read does not fail: \(error)")
        }
    }
}

/// What a connection to a Duet server does with what the server and the kit say.
@_spi(Testing) public struct KitServerMessages {
    private var calls = DuetSignalingCalls(lifetime: 60)

    public init() {}

    /// Takes what the server says. What the kit is given of it, the kit can read.
    public mutating func receive(_ message: ServerMessage) {
        for delivery in calls.receive(message).deliveries {
            switch delivery {
            // What another delegate would be given of it.
            case .signal(let signal, _, _, _):
                do throws(CallSignalError) {
                    _ = try CallSignal(decoding: signal.encoded())
                } catch {
                    // A server's descriptions may be longer than a kit's signals.
                    precondition(error == .tooLarge, "the kit is given what it cannot read: \(error)")
                }
            case .candidate(let candidate, _): _ = try? CallCandidate(decoding: candidate.encoded())
            case .badVerification, .presence: break
            }
        }
        precondition(calls.count <= DuetSignalingCalls.mostCalls, "calls without bound")
    }

    /// Says what the kit says, if it is that.
    public mutating func send(signal bytes: [UInt8], to peer: String) {
        guard let signal = try? CallSignal(decoding: bytes) else { return }
        _ = try? calls.send(signal, to: peer)
        precondition(calls.count <= DuetSignalingCalls.mostCalls, "calls without bound")
    }

    public mutating func send(candidate bytes: [UInt8]) {
        guard let candidate = try? CallCandidate(decoding: bytes) else { return }
        _ = try? calls.send(candidate)
    }
}
