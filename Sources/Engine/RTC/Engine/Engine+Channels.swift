internal import RTCPeer
internal import RTCTransport
internal import RTCWire

extension Engine {
    typealias ChannelID = Peer.ChannelID

    // MARK: Opening and closing

    func openChannel(
        _ label: String, options: DataChannelOptions, connection: PeerConnection
    ) throws(RTCError) -> DataChannel {
        guard !isClosed else {
            throw RTCError(code: .invalidState, message: "the connection is closed: make a new one")
        }
        let parameters = DataChannelParameters(label: label, options: options)
        let id: ChannelID
        do throws(DataChannelError) {
            id = try perform { peer, now throws(DataChannelError) in try peer.openChannel(parameters, at: now) }
        } catch {
            throw RTCError(error)
        }
        let state = DataChannel.State(peer.state(of: id))
        let channel = register(id, label: label, options: options, state: state, connection: connection)
        channel.keepConnection()
        return channel
    }

    /// Adds a channel that the remote peer opened.
    func acceptChannel(_ id: ChannelID, _ parameters: DataChannelParameters) {
        guard let connection else { return }
        // Reported as open whatever its state now: the following events tell of changes.
        let channel = register(
            id, label: parameters.label, options: DataChannelOptions(parameters), state: .open, connection: connection)
        events.send(.dataChannel(channel))
    }

    private func register(
        _ id: ChannelID, label: String, options: DataChannelOptions, state: DataChannel.State,
        connection: PeerConnection
    ) -> DataChannel {
        let shared = DataChannel.Shared()
        shared.update(state: state, streamID: peer.streamID(of: id))
        mailboxes.add(ChannelMailbox(shared: shared), of: id)
        return DataChannel(label: label, options: options, connection: connection, key: id, shared: shared)
    }

    func moveChannel(_ id: ChannelID, to state: DataChannel.State) {
        guard let mailbox = mailboxes[id] else { return }
        mailbox.shared.update(state: state, streamID: peer.streamID(of: id) ?? mailbox.shared.currentStreamID)
        mailbox.shared.stateChanges.send(state)
        switch state {
        case .closed: finish(mailbox, of: id)
        // Resumes waiting senders, which then fail.
        case .closing: mailbox.releaseSenders()
        case .connecting, .open: break
        }
    }

    func closeChannel(_ id: ChannelID) {
        perform { peer, now in peer.closeChannel(id, at: now) }
        if peer.state(of: id) == .closing, let state = mailboxes[id]?.shared.currentState, state != .closing {
            moveChannel(id, to: .closing)
        }
    }

    func closeChannels() {
        for id in mailboxes.ids {
            guard let mailbox = mailboxes[id], mailbox.shared.currentState != .closed else { continue }
            mailbox.shared.update(state: .closed, streamID: nil)
            mailbox.shared.stateChanges.send(.closed)
            finish(mailbox, of: id)
        }
    }

    private func finish(_ mailbox: ChannelMailbox, of id: ChannelID) {
        while !mailbox.messages.isEmpty, let reader = mailbox.nextReader() {
            reader.continuation.resume(returning: takeMessages(on: id, upTo: reader.maximum))
        }
        mailbox.releaseSenders()
        mailbox.release()
        mailbox.shared.stateChanges.finish()
        mailbox.shared.lowEvents.finish()
        // Received messages can still be read.
        if mailbox.messages.isEmpty || mailbox.isAbandoned { mailboxes.remove(id) }
    }

    /// Closes a channel whose last handle is gone, since it would otherwise occupy its slot forever.
    func abandonChannel(_ id: ChannelID) {
        guard let mailbox = mailboxes[id] else { return }
        mailbox.isAbandoned = true
        _ = takeMessages(on: id, upTo: .max)
        if mailbox.shared.currentState == .closed {
            mailboxes.remove(id)
        } else if !isClosed {
            closeChannel(id)
        }
    }

    // MARK: Receiving

    func deliver(_ message: DataChannelMessage, on id: ChannelID) {
        guard !mailboxes.put(message, on: id) else { return }
        peer.consumed(message.bytes.count, on: id, at: now)
    }

    /// Takes messages from the mailbox, and reopens the receive window by their size.
    func takeMessages(on id: ChannelID, upTo maximum: Int) -> [DataChannel.Message] {
        guard let mailbox = mailboxes[id] else { return [] }
        let (messages, byteCount) = mailbox.take(upTo: maximum)
        if mailbox.messages.isEmpty, mailbox.shared.currentState == .closed { mailboxes.remove(id) }
        if !messages.isEmpty, !isClosed {
            // The messages of a closed channel count against the window of all channels too.
            peer.consumed(byteCount, messageCount: messages.count, on: id, at: now)
            scheduleDrain()
        }
        return messages
    }

    /// Passes received messages to waiting readers.
    func wakeReaders() {
        for id in mailboxes.takeThoseWithMessages() {
            guard let mailbox = mailboxes[id] else { continue }
            while !mailbox.messages.isEmpty, let reader = mailbox.nextReader() {
                reader.continuation.resume(returning: takeMessages(on: id, upTo: reader.maximum))
            }
        }
    }

    // MARK: Sending

    /// The error to throw for sends after the connection has failed.
    var failure: RTCError? {
        guard peer.connectionState == .failed, let failure = peer.failure else { return nil }
        return RTCError(failure)
    }

    /// Whether a sender must wait: the channel is not open yet, other senders wait, or its buffer or the common one is
    /// full.
    func mustWait(toSend byteCount: Int, on id: ChannelID) -> Bool {
        guard let mailbox = mailboxes[id], peer.connectionState != .failed else { return false }
        switch mailbox.shared.currentState {
        case .connecting: return true
        case .open:
            return !mailbox.senders.isEmpty || peer.bufferedAmount(of: id) >= configuration.sendBufferLimit
                || !hasRoom(for: byteCount)
        case .closing, .closed: return false
        }
    }

    /// A message that can never fit need not wait: the peer rejects it.
    private func hasRoom(for byteCount: Int) -> Bool {
        byteCount > totalSendLimit || peer.totalBufferedAmount <= totalSendLimit - byteCount
    }

    /// Resumes senders whose channel has room again, in order of arrival, as far as the common buffer has room.
    func wakeSenders() {
        guard mailboxes.haveSenders else { return }
        var room = totalSendLimit - peer.totalBufferedAmount
        mailboxes.releaseSenders { id, mailbox, first in
            // Waits until half of the buffer is sent, which keeps the connection busy while the sender wakes up.
            guard mailbox.shared.currentState != .connecting,
                peer.bufferedAmount(of: id) <= configuration.sendBufferLimit / 2
            else { return false }
            guard first.byteCount <= max(room, 0) || first.byteCount > totalSendLimit else {
                // Smaller messages behind it must not use up its room.
                room = 0
                return false
            }
            room -= min(room, first.byteCount)
            return true
        }
    }

    func send(_ message: DataChannel.Message, on id: ChannelID) throws(RTCError) {
        guard !isClosed else {
            throw RTCError(code: .channelClosed, message: "the connection is closed: make a new one")
        }
        if let failure { throw failure }
        do throws(DataChannelError) {
            try perform { peer, now throws(DataChannelError) in
                try peer.send(DataChannelMessage(message), on: id, at: now)
            }
        } catch {
            throw RTCError(error)
        }
    }
}
