import RTCMedia

/// The transceivers, payload types and extension IDs of the session.
struct MediaState: Sendable {
    /// In the order of their addition, which is that of their sections in the first offer.
    var transceivers: [Transceiver] = []
    var payloadTypes = PayloadTypeTable()
    var extensions = HeaderExtensionTable()
    /// Changes not yet taken by the peer.
    var changes: [MediaChange] = []

    private var nextID: UInt32 = 0
    /// The state before the open offer, for a rollback.
    private var stable: Stable?

    private struct Stable: Sendable {
        var transceivers: [Transceiver]
        var payloadTypes: PayloadTypeTable
        var extensions: HeaderExtensionTable
    }

    func index(of id: TransceiverID) -> Int? { transceivers.firstIndex { $0.id == id } }

    func index(ofSection section: Int) -> Int? { transceivers.firstIndex { $0.mLineIndex == section } }

    mutating func add(_ kind: MediaKind, direction: SDPDirection, sender: MediaSender = MediaSender()) -> Int {
        transceivers.append(
            Transceiver(id: TransceiverID(rawValue: nextID), kind: kind, direction: direction, sender: sender))
        nextID &+= 1
        return transceivers.count - 1
    }

    // MARK: Offer and answer

    /// Saves the state when an offer is applied, for a rollback.
    mutating func begin() {
        guard stable == nil else { return }
        stable = Stable(transceivers: transceivers, payloadTypes: payloadTypes, extensions: extensions)
    }

    /// Ends the exchange with an answer.
    mutating func end() {
        stable = nil
    }

    /// Rolls back an offer (RFC 9429, section 4.1.10.2). Keeps the application's changes since.
    mutating func rollBack() {
        guard let before = stable else { return }
        stable = nil
        payloadTypes = before.payloadTypes
        extensions = before.extensions
        for index in transceivers.indices.reversed() {
            let old = before.transceivers.first { $0.id == transceivers[index].id }
            setRemoteTrack(old?.remoteTrack, of: index)
            transceivers[index].mid = old?.mid
            transceivers[index].mLineIndex = old?.mLineIndex
            if transceivers[index].mLineIndex == nil { removeUnlessWanted(at: index) }
        }
    }

    /// Dissociates a transceiver from its section, because a new remote offer does not contain that any more.
    mutating func dissociate(_ index: Int) {
        setRemoteTrack(nil, of: index)
        transceivers[index].mid = nil
        transceivers[index].mLineIndex = nil
        removeUnlessWanted(at: index)
    }

    /// Removes a transceiver without a section if a remote offer created it, or if it was stopped.
    private mutating func removeUnlessWanted(at index: Int) {
        let transceiver = transceivers[index]
        if transceiver.isStopping {
            transceivers.remove(at: index)
            changes.append(.transceiverStopped(transceiver.id))
        } else if transceiver.isRemote, !transceiver.hasTrackAttached {
            transceivers.remove(at: index)
            changes.append(.transceiverRemoved(transceiver.id))
        }
    }

    /// Stops a transceiver, because its section is closed for good.
    mutating func stop(at index: Int) {
        setRemoteTrack(nil, of: index)
        changes.append(.transceiverStopped(transceivers.remove(at: index).id))
    }

    /// Sets the remote track (W3C: "process remote tracks").
    mutating func setRemoteTrack(_ track: RemoteTrack?, of index: Int) {
        let old = transceivers[index].remoteTrack
        guard track != old else { return }
        transceivers[index].remoteTrack = track
        if let track {
            changes.append(.remoteTrack(track))
        } else {
            changes.append(.remoteTrackRemoved(transceivers[index].id))
        }
    }

    /// Associates a section of a remote offer with an existing or new transceiver (RFC 9429, section 5.10).
    mutating func associate(_ remote: RemoteMedia, mid: String?, section: Int) {
        let index: Int
        if let known = transceivers.firstIndex(where: { $0.mLineIndex == section && $0.mid == mid }) {
            index = known
        } else {
            let suitable = transceivers.firstIndex {
                $0.isAddedByTrack && $0.kind == remote.kind && $0.mLineIndex == nil && !$0.isStopping
            }
            if let suitable, remote.direction.receives {
                index = suitable
            } else {
                index = add(remote.kind, direction: .recvonly)
                transceivers[index].isRemote = true
            }
            transceivers[index].mid = mid
            transceivers[index].mLineIndex = section
            if transceivers[index].isRemote { changes.append(.transceiverAdded(transceivers[index])) }
        }
        setRemoteTrack(track(remote, direction: remote.direction.reversed, of: index), of: index)
    }

    /// The remote track of a section; `nil` if nothing is sent there.
    func track(_ remote: RemoteMedia, direction: SDPDirection, of index: Int) -> RemoteTrack? {
        guard direction.receives else { return nil }
        return RemoteTrack(
            transceiver: transceivers[index].id, kind: remote.kind, mid: transceivers[index].mid,
            streamIDs: remote.streamIDs, trackID: remote.trackID)
    }

    /// Adopts the payload types and extension IDs of a remote offer (RFC 3264, section 6.1; RFC 8285, section 7).
    mutating func bind(_ sections: [RemoteMedia], capabilities: MediaCapabilities) {
        var bound: Set<UInt8> = []
        var named: Set<PayloadTypeTable.Use> = []
        var uris: Set<String> = []
        for remote in sections {
            let ours = capabilities[remote.kind]
            for theirs in remote.codecs where bound.insert(theirs.payloadType).inserted {
                var uses = ours.codecs.filter { $0.matches(theirs.codec) }.map { PayloadTypeTable.Use.codec($0) }
                if ours.isProtectionOffered, let protection = remote.protection {
                    if theirs.payloadType == protection.red { uses.append(.protectionWrapper) }
                    if theirs.payloadType == protection.ulpfec { uses.append(.protectionParity) }
                }
                let use = uses.first { !named.contains($0) }
                payloadTypes.bind(theirs.payloadType, to: use ?? .foreign)
                if let use { named.insert(use) }
            }
            for (primary, number) in remote.retransmission.sorted(by: { $0.key < $1.key })
            where bound.insert(number).inserted {
                payloadTypes.bind(number, to: .retransmission(of: primary))
            }
            for (primary, number) in remote.redundancy.sorted(by: { $0.key < $1.key })
            where bound.insert(number).inserted {
                payloadTypes.bind(number, to: .redundancy(of: primary))
            }
            for each in remote.extensions where uris.insert(each.uri).inserted {
                if let id = UInt8(exactly: each.id) { extensions.bind(id, to: each.uri) }
            }
        }
    }
}
