import RTC
import RTCPeer
import RTCTransport

/// What goes to the other peer.
///
/// With trickle ICE, descriptions and candidates are printed as they come. Without it, a description is held until its
/// candidates are gathered, at most three seconds, and printed with them inside; candidates are not printed.
extension PeerSession {
    private static let gatheringLimit = Duration.seconds(3)

    func forward(_ signal: Signal) async {
        switch signal {
        case _ where settings.trickles: output.write(signal.json)
        case .candidate: break
        case .description(let description): await hold(description)
        }
    }

    private func hold(_ description: SessionDescription) async {
        heldDescription = description
        if await connection.iceGatheringState == .complete { return await releaseDescription() }
        Task {
            try await Task.sleep(for: Self.gatheringLimit)
            // A later description has a time limit of its own.
            if heldDescription == description { await releaseDescription() }
        }
    }

    /// Prints the description that is held, if there is one, with the candidates that there are by now.
    func releaseDescription() async {
        guard let held = heldDescription else { return }
        heldDescription = nil
        let description = await connection.localDescription ?? held
        output.write(Signal.description(description).json)
    }
}
