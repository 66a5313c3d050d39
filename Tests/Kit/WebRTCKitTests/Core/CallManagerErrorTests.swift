import Foundation
import Testing

@testable import WebRTCKit

@Suite("Errors")
struct CallManagerErrorTests {
    private static let all: [CallManagerError] = [
        .connectionTimeout, .connectionLost, .rejected, .busy, .noAnswer, .peerUnavailable,
        .invalidStateChange(fromState: .idle, toState: .endingCall), .signalingFailed("the server is gone"),
        .webRTCFailed("no codec"), .needsCall("begin one"), .deviceUnavailable(DeviceError(.notFound, "no camera")),
        .invalidArgument("no URL"),
    ]

    @Test("Each says in words what has happened, and says the same when it is shown by the system", arguments: all)
    func description(error: CallManagerError) {
        #expect(error.localizedDescription == "\(error)")
        #expect("\(error)".contains(" ") && !"\(error)".contains("CallManager"))
    }

    @Test("An impossible change names both states, and what to ask")
    func states() {
        let text = "\(CallManagerError.invalidStateChange(fromState: .connecting, toState: .answeringCallRequest))"
        #expect(text.contains("connecting") && text.contains("answeringCallRequest") && text.contains("state"))
    }
}

extension CallManagerError {
    /// How scenarios write it.
    var word: String {
        switch self {
        case .connectionTimeout: "connectionTimeout"
        case .connectionLost: "connectionLost"
        case .rejected: "rejected"
        case .busy: "busy"
        case .noAnswer: "noAnswer"
        case .peerUnavailable: "peerUnavailable"
        case .signalingFailed(let message): "signalingFailed(\"\(message)\")"
        case .webRTCFailed(let message): "webRTCFailed(\"\(message)\")"
        case .invalidStateChange(let from, let to): "invalidStateChange(\(from) → \(to))"
        case .needsCall(let message): "needsCall(\"\(message)\")"
        case .deviceUnavailable(let error): "deviceUnavailable(\"\(error.message)\")"
        case .invalidArgument(let message): "invalidArgument(\"\(message)\")"
        }
    }
}
