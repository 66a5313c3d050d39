internal import Logging
internal import RTC

extension Config {
    /// The engine's configuration.
    ///
    /// Invalid servers are ignored and logged.
    ///
    /// - Parameters:
    ///   - offered: Further servers, such as those that a signalling server offers to signed-in clients.
    ///   - options: The transport policy and the trusted certificate authorities.
    func connectionConfiguration(
        offered: [RTCIceServer] = [], options: WebRTCKit.Options = .init(), logger: Logger
    ) -> PeerConnection.Configuration {
        var configuration = PeerConnection.Configuration()
        configuration.logger = logger
        configuration.iceTransportPolicy = options.iceTransportPolicy
        configuration.serverTrust = options.serverTrust
        configuration.iceServers = servers(offered: offered, logger: logger)
        let start = Int64(clamping: video.startBitrate).addingReportingOverflow(Int64(clamping: audio.startBitrate))
        if !start.overflow, start.partialValue > 0 {
            configuration.media.startBitrate = Bitrate(bitsPerSecond: start.partialValue)
        }
        return configuration
    }

    /// The valid servers of the configuration, then those offered.
    func servers(offered: [RTCIceServer], logger: Logger) -> [PeerConnection.ICEServer] {
        Self.usableServers(iceServers + offered, logger: logger)
    }

    /// The maximum number of servers; more would only slow gathering down.
    static let mostServers = 16
    /// The maximum number of URLs that are examined, since each invalid one is logged.
    static let mostAddresses = 64

    private static func usableServers(_ servers: [RTCIceServer], logger: Logger) -> [PeerConnection.ICEServer] {
        var usable: [PeerConnection.ICEServer] = []
        let all = servers.lazy.flatMap { server in server.urlStrings.lazy.map { (server, $0) } }
        let rest = all.dropFirst(mostAddresses)
        if !rest.isEmpty {
            logger.warning("Of the addresses of ICE servers the first \(mostAddresses) are looked at, and no others")
        }
        for (server, text) in all.prefix(mostAddresses) where usable.count < mostServers {
            let url: ICEServerURL
            do throws(ICEServerURL.ParseError) {
                url = try ICEServerURL(text)
            } catch {
                logger.warning("An ICE server is not used: its URL \(error)")
                continue
            }
            guard !url.scheme.isRelay || server.username?.isEmpty == false && server.credential?.isEmpty == false else {
                logger.warning("The ICE server \(url) is not used: it relays, and there is no credential for it")
                continue
            }
            let entry =
                url.scheme.isRelay
                ? PeerConnection.ICEServer(url: text, username: server.username, credential: server.credential)
                : PeerConnection.ICEServer(url: text)
            if !usable.contains(entry) { usable.append(entry) }
        }
        return usable
    }
}
