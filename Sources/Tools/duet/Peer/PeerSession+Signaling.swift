import DuetShell
import RTC
import RTCPeer
import RTCTransport

/// Signals for the other peer.
///
/// With trickle ICE, descriptions and candidates are printed at once. Without it, a description is held until its candidates are
/// gathered, at most three seconds, and printed with them inside; candidates are not printed.
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
        heldDescriptions.append(description)
        if await connection.iceGatheringState == .complete { return await releaseDescriptions() }
        Task {
            try await Task.sleep(for: Self.gatheringLimit)
            // A later description has a time limit of its own.
            if heldDescriptions.contains(description) { await releaseDescriptions() }
        }
    }

    /// Prints the held descriptions with their current candidates. An offer that was withdrawn meanwhile, for one of the other
    /// peer's, is not printed.
    func releaseDescriptions() async {
        let held = heldDescriptions
        heldDescriptions = []
        guard !held.isEmpty else { return }
        // In this order, because a pending description may become current in between.
        let known = [await connection.pendingLocalDescription, await connection.currentLocalDescription]
        for description in held {
            guard let full = known.compactMap(\.self).first(where: description.isVersion(of:)) else { continue }
            output.write(Signal.description(full).json)
        }
    }
}

extension SessionDescription {
    /// Whether both are the same description, whatever candidates they contain: the origin identifies it (RFC 8866, section 5.2).
    fileprivate func isVersion(of other: SessionDescription) -> Bool {
        type == other.type && origin != nil && origin == other.origin
    }

    private var origin: Substring? { sdp.split(separator: "\r\n").first { $0.hasPrefix("o=") } }
}
