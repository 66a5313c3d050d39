package import RTCTransport
internal import RTCWire

extension Peer {
    // MARK: ICE

    package func iceStatistics() -> ICEStatistics {
        var statistics = ice.statistics()
        for index in statistics.localCandidates.indices {
            guard let server = statistics.localCandidates[index].server,
                statistics.localCandidates[index].serverID == nil
            else { continue }
            statistics.localCandidates[index].serverID = serverIDs[server]
        }
        return statistics
    }

    @usableFromInline package var iceRoleIsControlling: Bool { ice.isControlling }
    @usableFromInline package var localUsernameFragment: String { ice.localCredentials.usernameFragment }

    // MARK: DTLS

    package var dtlsState: DTLSTransportState { dtls.state }
    package var dtlsRole: DTLSRole? { dtls.role }
    package var dtlsParameters: DTLSParameters? { dtls.parameters }
    package var localFingerprints: [Fingerprint] { dtls.localFingerprints }
    @usableFromInline package var localCertificateDER: [UInt8] { configuration.certificate.der }
    @usableFromInline package var remoteCertificateDER: [UInt8]? { dtls.remoteCertificateDER }
    @usableFromInline package var droppedRecords: Int { dtls.droppedRecords }

    // MARK: Data channels

    package func statistics(of id: ChannelID) -> DataChannelCounters? {
        guard let id = current(id) else { return nil }
        return channels.statistics(of: id)
    }

    /// Of all associations together.
    package var channelStatistics: DataChannelTransportCounters {
        var sum = channels.statistics
        sum.channelsOpened &+= pastChannelStatistics.channelsOpened
        sum.channelsClosed &+= pastChannelStatistics.channelsClosed
        sum.channelsRefused &+= pastChannelStatistics.channelsRefused
        sum.messagesIgnored &+= pastChannelStatistics.messagesIgnored
        return sum
    }

    /// Of the present association.
    package var sctpStatistics: SCTPStatistics { channels.associationStatistics }
}
