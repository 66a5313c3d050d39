import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire

@testable import WebRTCKit

/// A kit in the model: its core, the connection that its actor would hold, and what its app was told.
final class ModelKit {
    let index: Int
    let name: PeerID
    let host: SimulatedNetwork.HostID
    var core: CallCore
    var connection: ModelConnection?
    /// Connections that were closed and have last words to say.
    var leaving: [ModelConnection] = []
    var interface: SimulatedNetwork.InterfaceID
    /// Whether the kit believes its signalling to be open.
    var isSignalingOpen = true
    /// An actor takes time for what it does: until then the next effect waits.
    var busyUntil = Instant.zero
    var nextPort: UInt16 = 1_024

    /// Opened and closed connections, those of kits that crashed apart.
    var opened = 0
    var closed = 0
    var app = App()

    init(_ index: Int, in network: inout SimulatedNetwork, settings: CallCore.Settings, seed: UInt64) {
        self.index = index
        name = index == 0 ? "alice" : "bob"
        host = network.addHost()
        interface = network.addInterface(to: host, address: IPAddress(192, 0, 2, UInt8(index + 1)))
        core = CallCore(settings: settings, random: SeededRandom(seed: seed))
    }

    /// What an app learns, and whether it makes sense.
    struct App {
        /// Calls that were begun by either side, and that ended.
        var begun = 0
        var ended = 0
        var isRunning = false
        var isLost = false
        var code: VerificationCode?
        /// Why calls ended, those apart that ended well.
        var errors: [CallManagerError] = []
        /// The other side's data that came in this call.
        var messages = 0

        /// - Returns: What is wrong with it.
        mutating func take(_ change: Call.Change, _ call: Call) -> String? {
            let isInCall = begun > ended
            switch change {
            case .began where call.direction == .incoming:
                begun += 1
                return isInCall ? "an incoming call in a call" : nil
            case .ringing: return isInCall && !isRunning ? nil : "ringing out of place"
            case .connected:
                defer { isRunning = true }
                return isInCall && !isRunning ? nil : "started out of place"
            case .connectionLost:
                defer { isLost = true }
                return isInCall && isRunning && !isLost ? nil : "lost out of place"
            case .connectionRestored:
                defer { isLost = false }
                return isInCall && isLost ? nil : "restored out of place"
            case .verification:
                // Nobody is in the middle here.
                guard let code = call.code else { return "the verification failed" }
                defer { self.code = code }
                return isInCall && code != self.code ? nil : "a code out of place"
            case .ended:
                self = App(
                    begun: begun, ended: ended + 1, errors: errors + [call.outcome?.error].compactMap(\.self))
                return isInCall && call.state == .ended ? nil : "ended out of place"
            case .present, .began, .glare, .answered, .quality, .presence: return nil
            }
        }
    }

    /// The process is killed and started again: nothing of it is left, and nobody is told.
    func crash(settings: CallCore.Settings, seed: UInt64) {
        if connection != nil { closed += 1 }
        connection = nil
        leaving = []
        core = CallCore(settings: settings, random: SeededRandom(seed: seed))
        busyUntil = .zero
        app = App(begun: app.begun, ended: app.begun)
    }
}
