internal import Logging
internal import RTC

extension Config {
    /// As the engine takes it.
    ///
    /// The engine uses STUN servers alone so far. Others, and what cannot be used, are passed over with a line in the
    /// log.
    ///
    /// - Parameter offered: More servers, such as a signalling server offers to those who sign in.
    func connectionConfiguration(offered: [RTCIceServer] = [], logger: Logger) -> PeerConnection.Configuration {
        var configuration = PeerConnection.Configuration()
        configuration.logger = logger
        configuration.iceServers = Self.usableServers(iceServers + offered, logger: logger)
        let start = Int64(clamping: video.startBitrate).addingReportingOverflow(Int64(clamping: audio.startBitrate))
        if !start.overflow, start.partialValue > 0 {
            configuration.media.startBitrate = Bitrate(bitsPerSecond: start.partialValue)
        }
        return configuration
    }

    /// More would only make gathering slow.
    static let mostServers = 16

    private static func usableServers(_ servers: [RTCIceServer], logger: Logger) -> [PeerConnection.ICEServer] {
        var usable: [PeerConnection.ICEServer] = []
        for text in servers.flatMap(\.urlStrings) where usable.count < mostServers {
            switch ICEServerURL.parse(text) {
            case .success(let url) where url.scheme == .stun:
                let server = PeerConnection.ICEServer(url: text)
                if !usable.contains(server) { usable.append(server) }
            case .success(let url):
                logger.notice("The \(url.scheme.rawValue) server at \(url.host) is not used: only stun is, so far")
            case .failure(let flaw): logger.warning("An ICE server is not used: its URL \(flaw.problem)")
            }
        }
        return usable
    }
}
