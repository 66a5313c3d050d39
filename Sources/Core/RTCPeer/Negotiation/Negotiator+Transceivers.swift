package import RTCMedia

// Changes to transceivers by the application: W3C WebRTC, sections 5.1 and 5.4. Each may require an offer, as
// `needsNegotiation` shows.
extension Negotiator {
    /// Those that are not stopped, in the order in which they were added.
    package var transceivers: [Transceiver] { media.transceivers }

    /// `nil` when it was stopped, or removed with the offer that had brought it.
    package func transceiver(_ id: TransceiverID) -> Transceiver? {
        media.index(of: id).map { media.transceivers[$0] }
    }

    /// Returns the changes of media since the last call, in the order in which to apply them. Call it after every other
    /// method, once that method's changes are applied.
    package mutating func takeMediaChanges() -> [MediaChange] {
        defer { media.changes = [] }
        return media.changes
    }

    /// Adds a transceiver, whose section the next offer has (W3C `addTransceiver`).
    ///
    /// - Parameter codecs: As ``setCodecPreferences(_:of:)`` takes them.
    /// - Throws: ``NegotiationError/Code/unsupportedCodec`` when there is no codec for `kind`, or not those of `codecs`;
    ///   ``NegotiationError/Code/invalidInput``.
    @discardableResult
    package mutating func addTransceiver(
        _ kind: MediaKind, direction: SDPDirection = .sendrecv, sender: MediaSender = MediaSender(),
        codecs: [RTPCodec] = []
    ) throws(NegotiationError) -> TransceiverID {
        let preferences = try checkPreferences(codecs, kind)
        try sender.validate()
        isCheckDue = true
        let index = media.add(kind, direction: direction, sender: sender)
        media.transceivers[index].codecPreferences = preferences
        return media.transceivers[index].id
    }

    /// Finds a transceiver for a track, or adds one, so that the next offer sends it (W3C `addTrack`).
    ///
    /// A transceiver is reused if it has no track, was never used to send, and is not stopped; its sources are kept if
    /// `sender` names none. The caller has to check whether the track is already being sent.
    ///
    /// - Throws: as ``addTransceiver(_:direction:sender:codecs:)``.
    @discardableResult
    package mutating func addTrack(_ kind: MediaKind, sender: MediaSender) throws(NegotiationError) -> TransceiverID {
        _ = try checkPreferences([], kind)
        try sender.validate()
        isCheckDue = true
        let free = media.transceivers.firstIndex {
            $0.kind == kind && $0.sender.trackID == nil && !$0.hasSent && !$0.isStopping
        }
        guard let free else {
            let index = media.add(kind, direction: .sendrecv, sender: sender)
            media.transceivers[index].isAddedByTrack = true
            media.transceivers[index].hasTrackAttached = true
            return media.transceivers[index].id
        }
        let old = media.transceivers[free].sender
        var sender = sender
        if sender.ssrc == nil {
            sender.ssrc = old.ssrc
            sender.retransmissionSSRC = old.retransmissionSSRC
        }
        media.transceivers[free].sender = sender
        media.transceivers[free].hasTrackAttached = true
        let direction = media.transceivers[free].direction
        media.transceivers[free].direction = SDPDirection(sends: true, receives: direction.receives)
        return media.transceivers[free].id
    }

    /// Stops sending: the track is taken off and the direction loses its half (W3C `removeTrack`).
    ///
    /// - Throws: ``NegotiationError/Code/noSuchTransceiver``.
    package mutating func removeTrack(_ id: TransceiverID) throws(NegotiationError) {
        let index = try changing(id)
        media.transceivers[index].sender.trackID = nil
        let direction = media.transceivers[index].direction
        media.transceivers[index].direction = SDPDirection(sends: false, receives: direction.receives)
    }

    /// Sets the direction that this side prefers from now on. Takes effect with the next exchange.
    ///
    /// - Throws: ``NegotiationError/Code/noSuchTransceiver``; ``NegotiationError/Code/invalidState`` when it is stopped.
    package mutating func setDirection(
        _ direction: SDPDirection, of id: TransceiverID
    ) throws(NegotiationError) {
        let index = try changing(id)
        guard !media.transceivers[index].isStopping else {
            throw NegotiationError(.invalidState, "The \(id) is stopped; add another one.")
        }
        media.transceivers[index].direction = direction
    }

    /// The sources, the track and the streams that descriptions name from now on. A change of the streams needs an
    /// offer; another track or source alone does not.
    ///
    /// - Throws: ``NegotiationError/Code/noSuchTransceiver``; ``NegotiationError/Code/invalidInput``.
    package mutating func setSender(_ sender: MediaSender, of id: TransceiverID) throws(NegotiationError) {
        let index = try changing(id)
        try sender.validate()
        media.transceivers[index].sender = sender
    }

    /// The codecs that the next descriptions name, the preferred one first; empty for all. By itself this makes no offer
    /// due (W3C `setCodecPreferences`).
    ///
    /// - Parameter codecs: Of the configuration's. `rtx`, `red` and `ulpfec` among them are skipped: they go with the codecs.
    /// - Throws: ``NegotiationError/Code/noSuchTransceiver``; ``NegotiationError/Code/unsupportedCodec``.
    package mutating func setCodecPreferences(
        _ codecs: [RTPCodec], of id: TransceiverID
    ) throws(NegotiationError) {
        let index = try changing(id)
        media.transceivers[index].codecPreferences = try checkPreferences(codecs, media.transceivers[index].kind)
    }

    /// Ends a transceiver for good: the next offer closes its section (W3C `stop`). The caller ceases to send and to
    /// receive at once. ``MediaChange/transceiverStopped(_:)`` follows when both sides have agreed, or at once when no
    /// description has its section. Doing it again changes nothing.
    ///
    /// - Throws: ``NegotiationError/Code/noSuchTransceiver``.
    package mutating func stop(_ id: TransceiverID) throws(NegotiationError) {
        let index = try changing(id)
        media.transceivers[index].isStopping = true
        let isCreated = createdOffer?.media.values.contains { $0.transceiver == id } ?? false
        if media.transceivers[index].mLineIndex == nil, !isCreated { media.stop(at: index) }
    }

    // MARK: Checks

    /// The index of the transceiver to be changed.
    private mutating func changing(_ id: TransceiverID) throws(NegotiationError) -> Int {
        guard let index = media.index(of: id) else {
            throw NegotiationError(
                .noSuchTransceiver, "There is no \(id): it was stopped, or its offer was withdrawn.")
        }
        isCheckDue = true
        return index
    }

    private func checkPreferences(
        _ codecs: [RTPCodec], _ kind: MediaKind
    ) throws(NegotiationError) -> [RTPCodec] {
        let ours = configuration.media[kind].codecs
        guard !ours.isEmpty else {
            throw NegotiationError(
                .unsupportedCodec, "There is no codec for \(kind.rawValue); the configuration's media has to name one.")
        }
        var preferences: [RTPCodec] = []
        for codec in codecs where !codec.isSupplement && !preferences.contains(codec) {
            guard ours.contains(codec) else {
                throw NegotiationError(
                    .unsupportedCodec,
                    "\(codec.mimeType) with \"\(codec.formatParameters)\" is none of the configuration's codecs.")
            }
            preferences.append(codec)
        }
        return preferences
    }
}

extension MediaSender {
    /// Rejects identifiers other than tokens of up to 64 characters (RFC 8830, section 2), which could break the line.
    fileprivate func validate() throws(NegotiationError) {
        let names = streamIDs + [trackID].compactMap(\.self)
        guard names.allSatisfy({ SDPText.isToken($0) && $0.utf8.count <= 64 }),
            streamIDs.count <= SDPLimits.streamsPerSection
        else {
            throw NegotiationError(
                .invalidInput, "The names of streams and tracks are tokens of at most 64 characters.")
        }
    }
}
