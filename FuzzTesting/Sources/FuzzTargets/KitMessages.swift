import enum RTCSignaling.ServerMessage

@testable import WebRTCKit

/// Message parsing of the kit. Each function traps if it finds an error.
enum KitMessages {
    /// Checks that a parsed signal survives encoding and parsing again.
    static func checkSignal(_ bytes: [UInt8]) {
        guard let signal = try? CallSignal(decoding: bytes) else { return }
        precondition((try? CallSignal(decoding: signal.encoded())) == signal, "the signal means something else")
    }

    /// Checks that a parsed candidate survives encoding and parsing again.
    static func checkCandidate(_ bytes: [UInt8]) {
        guard let candidate = try? CallCandidate(decoding: bytes) else { return }
        precondition((try? CallCandidate(decoding: candidate.encoded())) == candidate, "the candidate is another")
    }

    /// Checks that every verification message that a server forwards is either parsed or makes the verification of its
    /// call fail.
    static func checkVerification(_ data: [UInt8]) {
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

/// The state machine between the kit and a Duet server.
struct KitServerMessages {
    private var calls = DuetSignalingCalls(lifetime: 60)

    init() {}

    /// Handles a server message. Checks that the kit can parse every message that results from it.
    mutating func receive(_ message: ServerMessage) {
        for delivery in calls.receive(message).deliveries {
            switch delivery {
            // The bytes that an untyped delegate receives.
            case .signal(let signal, _, _, _):
                do throws(CallSignalError) {
                    _ = try CallSignal(decoding: signal.encoded())
                } catch {
                    // A server's description may be longer than a kit's signal.
                    precondition(error == .tooLarge, "the kit is given what it cannot read: \(error)")
                }
            case .candidate(let candidate, _): _ = try? CallCandidate(decoding: candidate.encoded())
            case .badVerification, .presence, .undeliverable: break
            }
        }
        precondition(calls.count <= DuetSignalingCalls.mostCalls, "calls without bound")
    }

    /// Sends a signal of the kit, if the bytes are a valid one.
    mutating func send(signal bytes: [UInt8], to peer: String) {
        guard let signal = try? CallSignal(decoding: bytes) else { return }
        _ = try? calls.send(signal, to: peer)
        precondition(calls.count <= DuetSignalingCalls.mostCalls, "calls without bound")
    }

    mutating func send(candidate bytes: [UInt8]) {
        guard let candidate = try? CallCandidate(decoding: bytes) else { return }
        _ = try? calls.send(candidate)
    }
}
