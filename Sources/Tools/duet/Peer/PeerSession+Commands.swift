import DuetShell
import Logging
import RTC
import RTCPeer
import RTCTransport

extension PeerSession {
    /// Carries out an input.
    ///
    /// Never waits for the network: messages that cannot be sent yet are queued, so that the next line is handled at once.
    ///
    /// - Returns: Whether to continue.
    func obey(_ input: SessionInput) async -> Bool {
        switch input {
        case .line(let bytes):
            do throws(InputLine.Malformed) {
                return await obey(try InputLine(parsing: bytes))
            } catch {
                complain(error.description)
            }
        case .lineTooLong: complain("the line is longer than \(LineReader.maximumLineLength) bytes")
        case .endOfInput, .interrupted, .outputClosed:
            log.debug("closing: \(input)")
            return false
        }
        return true
    }

    private func obey(_ line: InputLine) async -> Bool {
        log.trace("\(line.summary)")
        switch line {
        case .signal(let signal): await receive(signal)
        case .command(.send(let label, let payload)): enqueue(payload, to: label)
        case .command(.open(let label, let request)):
            await open(label, options: settings.channelOptions.applying(request))
        case .command(.closeChannel(let label)): await closeChannels(label)
        case .command(.restartICE): await connection.restartICE()
        case .command(.setICEServers(let servers)): await setICEServers(servers)
        case .command(.addTrack(let kind)): await addTrack(kind)
        case .command(.removeTrack(let kind)): await removeTrack(kind)
        case .command(.mute(let kind)): setMuted(true, kind)
        case .command(.unmute(let kind)): setMuted(false, kind)
        case .command(.close): return false
        case .nothing: break
        }
        return true
    }

    private func setICEServers(_ servers: [PeerConnection.ICEServer]) async {
        do throws(RTCError) {
            try await connection.setICEServers(servers)
        } catch {
            complain(error.message)
        }
    }

    private func receive(_ signal: Signal) async {
        if case .description(let description) = signal, description.type == .offer, start == nil { start = .now }
        do throws(RTCError) {
            try await connection.receive(signal)
        } catch {
            if !hasRemoteDescription, settings.role == .answer { start = nil }
            return complain(error.message)
        }
        guard case .description = signal, !hasRemoteDescription else { return }
        hasRemoteDescription = true
        let channels = deferredChannels
        deferredChannels = []
        for channel in channels { await open(channel.label, options: channel.options) }
    }
}
