import RTCMedia

// Effects of descriptions on transceivers: RFC 9429, sections 5.9 to 5.11; W3C WebRTC, section 4.4.1.5.
extension Negotiator {
    // MARK: Creating sections

    /// The section of a transceiver in an offer; `nil` when it is to be closed.
    mutating func mediaToOffer(section index: Int, taken: inout [UInt8: PayloadTypeTable.Use]) -> LocalMedia? {
        guard let place = media.index(ofSection: index), !media.transceivers[place].isStopping else { return nil }
        return offer(media.transceivers[place], taken: &taken)
    }

    private mutating func offer(
        _ transceiver: Transceiver, taken: inout [UInt8: PayloadTypeTable.Use]
    ) -> LocalMedia? {
        LocalMedia(
            offering: transceiver, capabilities: configuration.media[transceiver.kind],
            payloadTypes: &media.payloadTypes, extensions: &media.extensions, taken: &taken)
    }

    /// Adds a section for each transceiver without one, in the order of their addition.
    mutating func addNewTransceivers(
        to sections: inout [DescriptionWriter.Section], taken: inout [UInt8: PayloadTypeTable.Use]
    ) {
        for transceiver in media.transceivers where transceiver.mLineIndex == nil && !transceiver.isStopping {
            guard let offered = offer(transceiver, taken: &taken) else { continue }
            let mid = newMid(beside: sections)
            place(.media(offered, mid: mid, like: nil), kind: transceiver.kind.rawValue, in: &sections)
        }
    }

    /// The answer to an offered section; `nil` to reject it.
    func answer(to remote: RemoteMedia, section index: Int) -> LocalMedia? {
        guard let place = media.index(ofSection: index) else { return nil }
        let transceiver = media.transceivers[place]
        guard !transceiver.isStopping else { return nil }
        return LocalMedia(
            answering: remote, with: transceiver, capabilities: configuration.media[transceiver.kind])
    }

    // MARK: Applying an offer

    /// Associates each section of a local offer with its transceiver.
    mutating func associate(_ offer: LocalDescription) {
        media.begin()
        for (index, section) in offer.media {
            guard let place = media.index(of: section.transceiver) else { continue }
            media.transceivers[place].mLineIndex = index
            media.transceivers[place].mid = offer.document.media[index].level.mid
        }
    }

    /// Associates each section of a remote offer with a transceiver.
    mutating func associate(_ offer: RemoteDescription) {
        media.begin()
        // Dissociates transceivers of an earlier offer whose section this one has dropped or given to another.
        for place in media.transceivers.indices.reversed() {
            guard let index = media.transceivers[place].mLineIndex, !(settled?.isOpen(index) ?? false) else { continue }
            let isThere = offer.media[index]?.kind == media.transceivers[place].kind
            if !isThere || offer.mids[index] != media.transceivers[place].mid { media.dissociate(place) }
        }
        for index in offer.document.media.indices {
            guard let remote = offer.media[index] else { continue }
            media.associate(remote, mid: offer.mids[index], section: index)
        }
        media.bind(
            offer.document.media.indices.compactMap { offer.media[$0] }, capabilities: configuration.media)
    }

    // MARK: Agreeing

    /// Applies an answer, local or remote.
    mutating func agreeOnMedia(
        local: LocalDescription, remote: RemoteDescription, isOfferer: Bool, isFinal: Bool
    ) {
        if isFinal { media.end() }
        // A provisional answer may still accept what it rejects.
        for place in media.transceivers.indices.reversed() where isFinal {
            guard let index = media.transceivers[place].mLineIndex else {
                // Stopped after an offer without it was created.
                if media.transceivers[place].isStopping { media.stop(at: place) }
                continue
            }
            if local.media[index] == nil || remote.media[index] == nil { media.stop(at: place) }
        }
        var tracks: [(place: Int, track: RemoteTrack?)] = []
        for index in local.document.media.indices {
            guard let ours = local.media[index], let theirs = remote.media[index],
                let place = media.index(of: ours.transceiver)
            else { continue }
            let direction = ours.direction.intersection(theirs.direction.reversed)
            if isFinal { media.transceivers[place].agreed = ours }
            media.transceivers[place].currentDirection = direction
            if direction.sends { media.transceivers[place].hasSent = true }
            let parameters = MediaSectionParameters(
                local: ours, remote: theirs, isOfferer: isOfferer, mid: media.transceivers[place].mid,
                mLineIndex: index, direction: direction)
            if let parameters, parameters != media.transceivers[place].parameters {
                media.transceivers[place].parameters = parameters
                media.changes.append(.parameters(parameters))
            }
            tracks.append((place, media.track(theirs, direction: direction, of: place)))
        }
        for (place, track) in tracks { media.setRemoteTrack(track, of: place) }
    }

    // MARK: Negotiation needed

    /// Whether transceivers require negotiation (W3C "check if negotiation is needed", section 4.7.3).
    var needsMediaNegotiation: Bool {
        media.transceivers.contains { transceiver in
            if transceiver.isStopping { return true }
            guard let index = transceiver.mLineIndex, let settled, let ours = settled.local.media[index],
                let theirs = settled.remote.media[index]
            else { return canOffer(transceiver) }
            if transceiver.direction.sends {
                guard ours.announcesSender, Set(ours.sender.streamIDs) == Set(transceiver.sender.streamIDs) else {
                    return true
                }
            }
            guard settled.local.type == .offer else {
                return ours.direction != transceiver.direction.intersection(theirs.direction.reversed)
            }
            return ours.direction != transceiver.direction && theirs.direction.reversed != transceiver.direction
        }
    }

    /// Whether a payload type is left for any codec; without one an offer would be useless.
    private func canOffer(_ transceiver: Transceiver) -> Bool {
        let codecs =
            transceiver.codecPreferences.isEmpty
            ? configuration.media[transceiver.kind].codecs : transceiver.codecPreferences
        return codecs.contains { media.payloadTypes.canAssign(.codec($0)) }
    }
}
