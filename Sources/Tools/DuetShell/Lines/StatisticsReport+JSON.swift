package import RTC

/// Statistics as JSON: the members keep the names and units of webrtc-stats; unknown values are left out.
extension StatisticsReport {
    /// `{"event":"stats", …}`
    package var event: JSONValue {
        .event(
            "stats",
            [
                .init("peerConnection", peerConnection.json),
                .init("transport", transport.json),
                .init("candidatePairs", .array(candidatePairs.map(\.json))),
                .init("localCandidates", .array(localCandidates.map(\.json))),
                .init("remoteCandidates", .array(remoteCandidates.map(\.json))),
                .init("dataChannels", .array(dataChannels.map(\.json))),
                .init("outboundRTP", .array(outboundRTP.map(\.json))),
                .init("inboundRTP", .array(inboundRTP.map(\.json))),
                .init("remoteInboundRTP", .array(remoteInboundRTP.map(\.json))),
                .init("codecs", .array(codecs.map(\.json))),
                .init("mediaSources", .array(mediaSources.map(\.json))),
                .init("certificates", .array(certificates.map(\.json))),
                .init("dropped", dropped.json),
            ])
    }
}

extension PeerConnectionStatistics {
    fileprivate var json: JSONValue {
        .present([
            ("dataChannelsOpened", .known(dataChannelsOpened)),
            ("dataChannelsClosed", .known(dataChannelsClosed)),
        ])
    }
}

extension TransportStatistics {
    fileprivate var json: JSONValue {
        .present([
            ("packetsSent", .known(packetsSent)),
            ("packetsReceived", .known(packetsReceived)),
            ("bytesSent", .known(bytesSent)),
            ("bytesReceived", .known(bytesReceived)),
            ("dtlsState", .known(dtlsState)),
            ("iceState", .known(iceState)),
            ("iceRole", .known(iceRole)),
            ("iceLocalUsernameFragment", .known(iceLocalUsernameFragment)),
            ("dtlsRole", .known(dtlsRole)),
            ("tlsVersion", .known(tlsVersion)),
            ("dtlsCipher", .known(dtlsCipher)),
            ("selectedCandidatePairId", .known(selectedCandidatePairId)),
            ("selectedCandidatePairChanges", .known(selectedCandidatePairChanges)),
            ("localCertificateId", .known(localCertificateId)),
            ("remoteCertificateId", .known(remoteCertificateId)),
            ("congestionWindow", .known(congestionWindow)),
            ("receiverWindow", .known(receiverWindow)),
            ("smoothedRoundTripTime", .known(smoothedRoundTripTime)),
            ("sctpRetransmissions", .known(sctpRetransmissions)),
        ])
    }
}

extension CandidatePairStatistics {
    fileprivate var json: JSONValue {
        .present([
            ("id", .known(id)),
            ("localCandidateId", .known(localCandidateId)),
            ("remoteCandidateId", .known(remoteCandidateId)),
            ("state", .known(state)),
            ("nominated", .bool(nominated)),
            ("currentRoundTripTime", .known(currentRoundTripTime)),
            ("totalRoundTripTime", .known(totalRoundTripTime)),
            ("requestsSent", .known(requestsSent)),
            ("requestsReceived", .known(requestsReceived)),
            ("responsesSent", .known(responsesSent)),
            ("responsesReceived", .known(responsesReceived)),
            ("consentRequestsSent", .known(consentRequestsSent)),
        ])
    }
}

extension CandidateStatistics {
    fileprivate var json: JSONValue {
        .present([
            ("id", .known(id)),
            ("address", .known(address)),
            ("port", .known(Int(port))),
            ("protocol", .known(`protocol`)),
            ("candidateType", .known(candidateType)),
            ("priority", .known(Int(priority))),
            ("foundation", .known(foundation)),
            ("relatedAddress", .known(relatedAddress)),
            ("relatedPort", .known(relatedPort.map { Int($0) })),
            ("usernameFragment", .known(usernameFragment)),
            ("tcpType", .known(tcpType)),
            ("relayProtocol", .known(relayProtocol)),
            ("url", .known(url)),
        ])
    }
}

extension DataChannelStatistics {
    fileprivate var json: JSONValue {
        .present([
            ("id", .known(id)),
            ("label", .known(label)),
            ("protocol", .known(`protocol`)),
            ("dataChannelIdentifier", .known(dataChannelIdentifier.map { Int($0) })),
            ("state", .known(state)),
            ("messagesSent", .known(messagesSent)),
            ("bytesSent", .known(bytesSent)),
            ("messagesReceived", .known(messagesReceived)),
            ("bytesReceived", .known(bytesReceived)),
        ])
    }
}

extension CertificateStatistics {
    fileprivate var json: JSONValue {
        .present([
            ("id", .known(id)),
            ("fingerprint", .known(fingerprint)),
            ("fingerprintAlgorithm", .known(fingerprintAlgorithm)),
            ("base64Certificate", .known(base64Certificate)),
        ])
    }
}

extension DroppedStatistics {
    fileprivate var json: JSONValue {
        .present([
            ("datagrams", .known(datagrams)), ("stun", .known(stun)), ("dtls", .known(dtls)), ("sctp", .known(sctp)),
        ])
    }
}

extension JSONValue {
    /// An object of the members that have a value.
    static func present(_ members: [(name: String, value: JSONValue?)]) -> JSONValue {
        .object(members.compactMap { member in member.value.map { Member(member.name, $0) } })
    }

    static func known(_ value: String?) -> JSONValue? { value.map { .string($0) } }
    static func known(_ value: Bool?) -> JSONValue? { value.map { .bool($0) } }
    static func known(_ value: Int?) -> JSONValue? { value.map { .integer($0) } }
    /// Seconds, to the microsecond.
    static func known(_ value: Double?) -> JSONValue? { value.map { .decimal($0, places: 6) } }
}
