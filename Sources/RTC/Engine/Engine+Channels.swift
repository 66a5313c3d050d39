internal import RTCPeer
internal import RTCTransport
internal import RTCWire

extension Engine {
    typealias ChannelID = DataChannelTransport.ChannelID

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
        return register(id, label: label, options: options, state: state, connection: connection)
    }

    /// The other peer opened a channel.
    func acceptChannel(_ id: ChannelID, _ parameters: DataChannelParameters) {
        guard let connection else { return }
        // Open, whatever it is by now: what has become of it comes with the events behind this one.
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
        mailboxes[id] = ChannelMailbox(shared: shared)
        return DataChannel(label: label, options: options, connection: connection, key: id, shared: shared)
    }

    func moveChannel(_ id: ChannelID, to state: DataChannel.State) {
        guard let mailbox = mailboxes[id] else { return }
        mailbox.shared.update(state: state, streamID: peer.streamID(of: id) ?? mailbox.shared.currentStreamID)
        mailbox.shared.stateChanges.send(state)
        switch state {
        case .closed: finish(mailbox, of: id)
        // Whoever waits to send learns that it is too late.
        case .closing: releaseSenders(of: mailbox)
        case .connecting, .open: break
        }
    }

    func closeChannel(_ id: ChannelID) {
        perform { peer, now in peer.closeChannel(id, at: now) }
        if peer.state(of: id) == .closing, let state = mailboxes[id]?.shared.currentState, state != .closing {
            moveChannel(id, to: .closing)
        }
    }

    private func releaseSenders(of mailbox: ChannelMailbox) {
        for sender in mailbox.takeSenders() {
            waitingSenders -= 1
            sender.continuation.resume()
        }
    }

    func closeChannels() {
        for (id, mailbox) in mailboxes where mailbox.shared.currentState != .closed {
            mailbox.shared.update(state: .closed, streamID: nil)
            mailbox.shared.stateChanges.send(.closed)
            finish(mailbox, of: id)
        }
    }

    private func finish(_ mailbox: ChannelMailbox, of id: ChannelID) {
        while !mailbox.messages.isEmpty, let reader = mailbox.nextReader() {
            reader.continuation.resume(returning: takeMessages(on: id, upTo: reader.maximum))
        }
        releaseSenders(of: mailbox)
        mailbox.release()
        mailbox.shared.stateChanges.finish()
        mailbox.shared.lowEvents.finish()
        // What has arrived can still be read.
        if mailbox.messages.isEmpty || mailbox.isAbandoned { mailboxes[id] = nil }
    }

    /// The last handle is gone.
    func abandonChannel(_ id: ChannelID) {
        guard let mailbox = mailboxes[id] else { return }
        mailbox.isAbandoned = true
        _ = takeMessages(on: id, upTo: .max)
        if mailbox.shared.currentState == .closed { mailboxes[id] = nil }
    }

    // MARK: Receiving

    func deliver(_ message: DataChannelMessage, on id: ChannelID) {
        guard let mailbox = mailboxes[id], !mailbox.isAbandoned else {
            peer.consumed(message.bytes.count, on: id, at: now)
            return
        }
        mailbox.put(DataChannel.Message(message))
        if mailbox.hasReaders, channelsWithMail.last != id { channelsWithMail.append(id) }
    }

    /// Takes messages from the mailbox, and lets the other peer send as much again.
    func takeMessages(on id: ChannelID, upTo maximum: Int) -> [DataChannel.Message] {
        guard let mailbox = mailboxes[id] else { return [] }
        let (messages, byteCount) = mailbox.take(upTo: maximum)
        if mailbox.messages.isEmpty, mailbox.shared.currentState == .closed { mailboxes[id] = nil }
        if !messages.isEmpty, !isClosed {
            // A closed channel's messages too have narrowed the window that all channels share.
            peer.consumed(byteCount, messageCount: messages.count, on: id, at: now)
            scheduleDrain()
        }
        return messages
    }

    /// Whether a reader of this channel may still hope for messages.
    func mayReceive(on id: ChannelID) -> Bool {
        guard let mailbox = mailboxes[id] else { return false }
        return mailbox.shared.currentState != .closed
    }

    /// Gives what has arrived to the readers that wait.
    func wakeReaders() {
        guard !channelsWithMail.isEmpty else { return }
        let ids = channelsWithMail
        channelsWithMail.removeAll(keepingCapacity: true)
        for id in ids {
            guard let mailbox = mailboxes[id] else { continue }
            while !mailbox.messages.isEmpty, let reader = mailbox.nextReader() {
                reader.continuation.resume(returning: takeMessages(on: id, upTo: reader.maximum))
            }
        }
    }

    // MARK: Sending

    /// Whether a sender has to wait: the channel is not open yet, others wait already, or the buffer is full.
    func mustWait(_ id: ChannelID) -> Bool {
        guard let mailbox = mailboxes[id] else { return false }
        switch mailbox.shared.currentState {
        case .connecting: return true
        case .open: return !mailbox.senders.isEmpty || peer.bufferedAmount(of: id) >= configuration.sendBufferLimit
        case .closing, .closed: return false
        }
    }

    /// Lets senders go on whose channel has room again.
    func wakeSenders() {
        guard waitingSenders > 0 else { return }
        for (id, mailbox) in mailboxes where !mailbox.senders.isEmpty {
            // Half of the buffer is left to send while the sender wakes up, so that the line never falls idle.
            guard mailbox.shared.currentState != .connecting,
                peer.bufferedAmount(of: id) <= configuration.sendBufferLimit / 2
            else { continue }
            releaseSenders(of: mailbox)
        }
    }

    func send(_ message: DataChannel.Message, on id: ChannelID) throws(RTCError) {
        guard !isClosed else {
            throw RTCError(code: .channelClosed, message: "the connection is closed: make a new one")
        }
        do throws(DataChannelError) {
            try perform { peer, now throws(DataChannelError) in
                try peer.send(DataChannelMessage(message), on: id, at: now)
            }
        } catch {
            throw RTCError(error)
        }
    }

    // MARK: Waiting

    func nextTicket() -> Int {
        tickets += 1
        return tickets
    }

    func wait(_ sender: ChannelMailbox.Sender, on id: ChannelID) {
        guard let mailbox = mailboxes[id], mailbox.shared.currentState != .closed else {
            sender.continuation.resume()
            return
        }
        waitingSenders += 1
        mailbox.wait(sender)
    }

    func wait(_ reader: ChannelMailbox.Reader, on id: ChannelID) {
        guard mayReceive(on: id), let mailbox = mailboxes[id] else {
            reader.continuation.resume(returning: [])
            return
        }
        mailbox.wait(reader)
    }

    /// The task with this ticket was cancelled.
    func cancelWaiting(_ ticket: Int, on id: ChannelID) {
        guard let mailbox = mailboxes[id] else { return }
        let before = mailbox.senders.count
        mailbox.cancel(ticket)
        waitingSenders -= before - mailbox.senders.count
    }
}
