import ArgumentParser
import DuetShell
import RTCSignaling

/// `--limit NAME=VALUE`: one of the limits in docs/signaling.md.
struct LimitOption: Sendable, Equatable {
    enum Name: String, CaseIterable, Sendable {
        case sockets
        case socketsPerAddress = "sockets-per-address"
        case newSocketsPerAddress = "new-sockets-per-address"
        case messagesPerSocket = "messages-per-socket"
        case messagesPerAddress = "messages-per-address"
        case bytesPerSocket = "bytes-per-socket"
        case bytesPerAddress = "bytes-per-address"
        case unsentBytes = "unsent-bytes"
        case memory
        case signInTimeout = "sign-in-timeout"
        case pingInterval = "ping-interval"
        case sessions
        case sessionsAway = "sessions-away"
        case devicesPerUser = "devices-per-user"
        case resumeWindow = "resume-window"

        /// Whether its value is a rate per second and a burst.
        var isRate: Bool {
            switch self {
            case .newSocketsPerAddress, .messagesPerSocket, .messagesPerAddress, .bytesPerSocket, .bytesPerAddress: true
            default: false
            }
        }
    }

    var name: Name
    /// A number, or a rate per second.
    var value: Double
    /// The burst of a rate.
    var burst = 0.0

    static func parse(_ text: String) throws -> LimitOption {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = Name(rawValue: String(parts[0])) else {
            let names = Name.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("“\(text)” is no limit; they are \(names), each with = and a number")
        }
        let numbers = parts[1].split(separator: "/", omittingEmptySubsequences: false).map(number)
        guard name.isRate else {
            guard numbers.count == 1, let value = numbers[0], value.rounded() == value else {
                throw ValidationError("\(name.rawValue) is a whole number from 1 to 1000000000")
            }
            return LimitOption(name: name, value: value)
        }
        guard numbers.count == 2, let rate = numbers[0], let burst = numbers[1] else {
            throw ValidationError("\(name.rawValue) is a rate per second and a burst, such as 20/100")
        }
        return LimitOption(name: name, value: rate, burst: burst)
    }

    private static func number(_ text: Substring) -> Double? {
        guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }),
            let value = Double(text), (1...1_000_000_000).contains(value)
        else { return nil }
        return value
    }

    /// The limits in `DUET_LIMITS`.
    static func limits(of environment: [String: String]) throws(Refusal) -> [LimitOption] {
        var limits: [LimitOption] = []
        for text in (environment["DUET_LIMITS"] ?? "").split(whereSeparator: { $0 == "," || $0 == " " }) {
            do {
                limits.append(try parse(String(text)))
            } catch {
                throw Refusal("DUET_LIMITS: \((error as? ValidationError)?.message ?? "\(error)")")
            }
        }
        return limits
    }

    func apply(to limits: inout ServerLimits) {
        switch name {
        case .sockets: limits.sockets = Int(value)
        case .socketsPerAddress: limits.socketsPerAddress = Int(value)
        case .newSocketsPerAddress: limits.setNewSocketsPerAddress(rate: value, burst: burst)
        case .messagesPerSocket: limits.setMessagesPerSocket(rate: value, burst: burst)
        case .messagesPerAddress: limits.setMessagesPerAddress(rate: value, burst: burst)
        case .bytesPerSocket: limits.setBytesPerSocket(rate: value, burst: burst)
        case .bytesPerAddress: limits.setBytesPerAddress(rate: value, burst: burst)
        case .unsentBytes: limits.unsentBytes = Int(value)
        case .memory: limits.waitingBytes = Int(value)
        case .signInTimeout: limits.signInTimeout = .seconds(value)
        case .pingInterval: limits.pingInterval = .seconds(value)
        case .sessions: limits.exchange.sessions = Int(value)
        case .sessionsAway: limits.exchange.sessionsAway = Int(value)
        case .devicesPerUser: limits.exchange.devicesPerUser = Int(value)
        case .resumeWindow: limits.exchange.resumeWindow = .seconds(value)
        }
    }
}
