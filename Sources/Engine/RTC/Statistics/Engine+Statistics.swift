internal import RTCPeer
internal import RTCTransport
internal import RTCWire

extension Engine {
    func statistics() -> StatisticsReport {
        let ice = peer.iceStatistics()
        let channels = peer.channelStatistics
        var report = StatisticsReport(
            peerConnection: PeerConnectionStatistics(
                dataChannelsOpened: Int(clamping: channels.channelsOpened),
                dataChannelsClosed: Int(clamping: channels.channelsClosed)),
            transport: transportStatistics(ice),
            candidatePairs: ice.candidatePairs.map { CandidatePairStatistics($0) },
            localCandidates: ice.localCandidates.map { candidate in
                let url = candidate.serverID.flatMap { servers.url(of: $0) }
                return CandidateStatistics(candidate, isLocal: true, url: url?.description)
            },
            remoteCandidates: ice.remoteCandidates.map { CandidateStatistics($0, isLocal: false, url: nil) },
            dataChannels: mailboxes.ids.compactMap { channelStatistics($0) }.sorted { $0.id < $1.id },
            certificates: certificateStatistics(),
            dropped: droppedStatistics(ice.counters))
        addMediaStatistics(to: &report)
        return report
    }

    private func transportStatistics(_ ice: ICEStatistics) -> TransportStatistics {
        let (sctp, counters, parameters) = (peer.sctpStatistics, peer.counters, peer.dtlsParameters)
        return TransportStatistics(
            packetsSent: counters.datagramsSent, packetsReceived: counters.datagramsReceived,
            bytesSent: counters.bytesSent, bytesReceived: counters.bytesReceived,
            dtlsState: peer.dtlsState.statisticsName, iceState: peer.iceConnectionState.rawValue,
            iceRole: peer.iceRoleIsControlling ? "controlling" : "controlled",
            iceLocalUsernameFragment: peer.localUsernameFragment,
            dtlsRole: peer.dtlsRole.map { $0 == .client ? "client" : "server" } ?? "unknown",
            tlsVersion: parameters.map { $0.version == .v13 ? "FEFC" : "FEFD" }, dtlsCipher: parameters?.cipherSuite,
            selectedCandidatePairId: ice.selectedCandidatePairID.map { CandidatePairStatistics.name($0) },
            selectedCandidatePairChanges: ice.selectedCandidatePairChanges,
            localCertificateId: Self.localCertificateID,
            remoteCertificateId: peer.remoteCertificateDER == nil ? nil : Self.remoteCertificateID,
            congestionWindow: sctp.congestionWindow, receiverWindow: sctp.receiverWindow,
            smoothedRoundTripTime: sctp.smoothedRoundTripTime?.seconds,
            sctpRetransmissions: Int(clamping: sctp.chunksRetransmitted))
    }

    private func channelStatistics(_ id: ChannelID) -> DataChannelStatistics? {
        guard let mailbox = mailboxes[id], let counts = peer.statistics(of: id),
            let parameters = peer.parameters(of: id)
        else { return nil }
        let stream = peer.streamID(of: id)
        return DataChannelStatistics(
            id: "DC\(stream.map { String($0) } ?? parameters.label)", label: parameters.label,
            protocol: parameters.protocol, dataChannelIdentifier: stream,
            state: mailbox.shared.currentState.rawValue,
            messagesSent: Int(clamping: counts.messagesSent), bytesSent: Int(clamping: counts.bytesSent),
            messagesReceived: Int(clamping: counts.messagesReceived), bytesReceived: Int(clamping: counts.bytesReceived)
        )
    }

    private static let localCertificateID = "CFL"
    private static let remoteCertificateID = "CFR"

    private func certificateStatistics() -> [CertificateStatistics] {
        let certificates = [
            (Self.localCertificateID, peer.localCertificateDER), (Self.remoteCertificateID, peer.remoteCertificateDER),
        ]
        return certificates.compactMap { id, der in
            guard let der, let fingerprint = Fingerprint(ofCertificate: der, crypto: crypto) else { return nil }
            return CertificateStatistics(
                id: id, fingerprint: fingerprint.text, fingerprintAlgorithm: fingerprint.algorithm.rawValue,
                base64Certificate: Base64.encode(der))
        }
    }

    private func droppedStatistics(_ ice: ICECounters) -> DroppedStatistics {
        DroppedStatistics(
            datagrams: peer.counters.unknownDatagrams + peer.counters.unprovedDatagrams,
            stun: ice.malformed + ice.badFingerprint + ice.unauthenticatedRequests + ice.unexpectedResponses
                + ice.unauthenticatedResponses + ice.unknownAttributes,
            dtls: peer.droppedRecords, sctp: Int(clamping: peer.sctpStatistics.packetsDropped))
    }
}

extension CandidatePairStatistics {
    static func name(_ id: UInt32) -> String { "CP\(id)" }

    init(_ pair: ICECandidatePairStatistics) {
        self.init(
            id: Self.name(pair.id), localCandidateId: "IL\(pair.localCandidateID)",
            remoteCandidateId: "IR\(pair.remoteCandidateID)", state: pair.state.rawValue, nominated: pair.nominated,
            currentRoundTripTime: pair.currentRoundTripTime?.seconds,
            totalRoundTripTime: pair.totalRoundTripTime.seconds,
            requestsSent: pair.requestsSent, requestsReceived: pair.requestsReceived,
            responsesSent: pair.responsesSent, responsesReceived: pair.responsesReceived,
            consentRequestsSent: pair.consentRequestsSent)
    }
}

extension CandidateStatistics {
    init(_ statistics: ICECandidateStatistics, isLocal: Bool, url: String?) {
        let candidate = statistics.candidate
        self.init(
            id: (isLocal ? "IL" : "IR") + String(statistics.id), address: String(describing: candidate.address),
            port: candidate.port, protocol: candidate.transport.rawValue.lowercased(),
            candidateType: candidate.type.rawValue, priority: candidate.priority, foundation: candidate.foundation,
            relatedAddress: candidate.relatedAddress?.description, relatedPort: candidate.relatedPort,
            usernameFragment: candidate.usernameFragment, tcpType: candidate.tcpType?.rawValue,
            relayProtocol: statistics.relayProtocol?.statisticsName, url: url)
    }
}

extension ICERelayProperties.Transport {
    fileprivate var statisticsName: String {
        switch self {
        case .udp: "udp"
        case .tcp: "tcp"
        case .tls: "tls"
        }
    }
}

extension DTLSTransportState {
    fileprivate var statisticsName: String {
        switch self {
        case .new: "new"
        case .connecting: "connecting"
        case .connected: "connected"
        case .closed: "closed"
        case .failed: "failed"
        }
    }
}
