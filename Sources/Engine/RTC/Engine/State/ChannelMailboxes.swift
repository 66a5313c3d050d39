internal import RTCPeer
internal import RTCTransport

/// The mailboxes of a connection's data channels, with the lists of those whose waiting tasks are to be resumed.
struct ChannelMailboxes {
    typealias ChannelID = Peer.ChannelID

    private var byID: [ChannelID: ChannelMailbox] = [:]
    /// Channels whose readers are to be resumed at the end of the burst.
    private var withMessages: [ChannelID] = []
    /// Channels with waiting senders, in order of waiting time; each once.
    private var withSenders: [ChannelID] = []
    private var tickets = 0

    subscript(id: ChannelID) -> ChannelMailbox? { byID[id] }
    var ids: [ChannelID] { Array(byID.keys) }

    mutating func add(_ mailbox: ChannelMailbox, of id: ChannelID) {
        byID[id] = mailbox
    }

    mutating func remove(_ id: ChannelID) {
        byID[id] = nil
    }

    func isConnecting(_ id: ChannelID) -> Bool { byID[id]?.shared.currentState == .connecting }

    /// Whether a reader of this channel may still get messages.
    func mayReceive(on id: ChannelID) -> Bool {
        guard let mailbox = byID[id] else { return false }
        return mailbox.shared.currentState != .closed
    }

    // MARK: Messages

    /// - Returns: `false` if the application has released the channel.
    mutating func put(_ message: DataChannelMessage, on id: ChannelID) -> Bool {
        guard let mailbox = byID[id], !mailbox.isAbandoned else { return false }
        mailbox.put(DataChannel.Message(message))
        if mailbox.hasReaders, withMessages.last != id { withMessages.append(id) }
        return true
    }

    /// Takes the channels that have got messages for which somebody waits.
    mutating func takeThoseWithMessages() -> [ChannelID] {
        guard !withMessages.isEmpty else { return [] }
        defer { withMessages.removeAll(keepingCapacity: true) }
        return withMessages
    }

    // MARK: Waiting

    /// A number for a task that is about to wait.
    mutating func nextTicket() -> Int {
        tickets += 1
        return tickets
    }

    mutating func wait(_ sender: ChannelMailbox.Sender, on id: ChannelID) {
        guard let mailbox = byID[id], mailbox.shared.currentState != .closed else {
            sender.continuation.resume()
            return
        }
        mailbox.wait(sender)
        guard !mailbox.isWaitingToSend else { return }
        mailbox.isWaitingToSend = true
        withSenders.append(id)
    }

    func wait(_ reader: ChannelMailbox.Reader, on id: ChannelID) {
        guard mayReceive(on: id), let mailbox = byID[id] else {
            reader.continuation.resume(returning: [])
            return
        }
        mailbox.wait(reader)
    }

    /// Handles the cancellation of a waiting task.
    func cancelWaiting(_ ticket: Int, on id: ChannelID) {
        byID[id]?.cancel(ticket)
    }

    // MARK: Senders

    var haveSenders: Bool { !withSenders.isEmpty }

    /// Resumes the senders of those channels, in order of waiting time, whose first sender may continue.
    ///
    /// - Parameter mayContinue: Must not use the mailboxes of the engine.
    mutating func releaseSenders(where mayContinue: (ChannelID, ChannelMailbox, ChannelMailbox.Sender) -> Bool) {
        let byID = byID
        withSenders.removeAll { id in
            guard let mailbox = byID[id], let first = mailbox.senders.first else {
                byID[id]?.isWaitingToSend = false
                return true
            }
            guard mayContinue(id, mailbox, first) else { return false }
            mailbox.isWaitingToSend = false
            mailbox.releaseSenders()
            return true
        }
    }

    /// Resumes all waiting senders.
    mutating func releaseAllSenders() {
        let ids = withSenders
        withSenders = []
        for id in ids {
            guard let mailbox = byID[id] else { continue }
            mailbox.isWaitingToSend = false
            mailbox.releaseSenders()
        }
    }
}
