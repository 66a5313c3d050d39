public import RTCTransport
internal import RTCWire

extension Peer {
    // MARK: ICE

    public func iceStatistics() -> ICEStatistics {
        var statistics = ice.statistics()
        for index in statistics.localCandidates.indices {
            guard let server = statistics.localCandidates[index].server,
                statistics.localCandidates[index].serverID == nil
            else { continue }
            statistics.localCandidates[index].serverID = serverIDs[server]
        }
        return statistics
    }

    public var iceRoleIsControlling: Bool { ice.isControlling }
    public var localUsernameFragment: String { ice.localCredentials.usernameFragment }

    // MARK: DTLS

    public var dtlsState: DTLSTransportState { dtls.state }
    public var dtlsRole: DTLSRole? { dtls.role }
    public var dtlsParameters: DTLSParameters? { dtls.parameters }
    public var localFingerprints: [Fingerprint] { dtls.localFingerprints }
    public var localCertificateDER: [UInt8] { configuration.certificate.der }
    public var remoteCertificateDER: [UInt8]? { dtls.remoteCertificateDER }
    public var droppedRecords: Int { dtls.droppedRecords }

    // MARK: Data channels

    public func statistics(of id: ChannelID) -> DataChannelCounters? {
        guard let id = current(id) else { return nil }
        return channels.statistics(of: id)
    }

    /// Of all associations together.
    public var channelStatistics: DataChannelTransportCounters {
        var sum = channels.statistics
        sum.channelsOpened &+= pastChannelStatistics.channelsOpened
        sum.channelsClosed &+= pastChannelStatistics.channelsClosed
        sum.channelsRefused &+= pastChannelStatistics.channelsRefused
        sum.messagesIgnored &+= pastChannelStatistics.messagesIgnored
        return sum
    }

    /// Of the present association.
    public var sctpStatistics: SCTPStatistics { channels.associationStatistics }
}
