import RTC

/// Tells channels apart whose labels are the same.
typealias ChannelNumber = Int

/// A data channel that is not closed yet.
struct ChannelEntry {
    let channel: DataChannel
    /// Whether it takes messages.
    var isOpen = false
    /// Reads the channel to its end.
    var task: Task<Void, Never>?
}

extension PeerSession {
    // MARK: Opening

    /// Opens a channel; the answering side does so once there is an offer to answer.
    func open(_ label: String, options: DataChannelOptions) async {
        guard settings.role == .offer || hasRemoteDescription else {
            return deferredChannels.append((label, options))
        }
        if start == nil { start = .now }
        do throws(RTCError) {
            let channel = try await connection.createDataChannel(label, options: options)
            serve(channel)
        } catch {
            complain(error.message)
        }
    }

    /// Looks after a channel that was opened here.
    func serve(_ channel: DataChannel) {
        let bench = channel.options.protocol == BenchPlan.protocolName ? settings.bench : nil
        serve(channel, isIncoming: false, bench: bench)
    }

    /// Looks after a channel that the other peer opened.
    func accept(_ channel: DataChannel) {
        serve(channel, isIncoming: true, bench: nil)
    }

    private func serve(_ channel: DataChannel, isIncoming: Bool, bench: BenchPlan?) {
        let number = nextChannelNumber
        nextChannelNumber += 1
        channels[number] = ChannelEntry(channel: channel)
        channels[number]?.task = Task {
            // An incoming channel is open, and if it is closed again by now, what came over it is still printed.
            var isOpen = isIncoming
            if !isOpen { isOpen = (try? await channel.waitUntilOpen()) != nil }
            if isOpen {
                didOpen(number)
                await use(channel, bench: bench)
            }
            didClose(number)
        }
    }

    /// Does with an open channel what it is for, until it is closed and empty.
    private func use(_ channel: DataChannel, bench: BenchPlan?) async {
        if let bench {
            await BenchSender(channel: channel, plan: bench).run(output)
        } else if channel.options.protocol == BenchPlan.protocolName {
            await BenchReceiver(channel: channel, isOneByOne: settings.measuresOneByOne).run()
        } else {
            await ChannelReader(channel: channel, output: output, echoes: settings.echoes).run()
        }
    }

    private func didOpen(_ number: ChannelNumber) {
        guard let label = channels[number]?.channel.label else { return }
        channels[number]?.isOpen = true
        printChannel(label, "open")
        pump(label)
    }

    private func didClose(_ number: ChannelNumber) {
        guard let entry = channels.removeValue(forKey: number) else { return }
        printChannel(entry.channel.label, "closed")
    }

    private func printChannel(_ label: String, _ state: String) {
        output.write(.event("dataChannel", [.init("label", .string(label)), .init("state", .string(state))]))
    }

    // MARK: Closing

    /// Closes all channels of this label.
    func closeChannels(_ label: String) async {
        let waiting = deferredChannels.count
        deferredChannels.removeAll { $0.label == label }
        let numbers = channels.filter { $0.value.channel.label == label }.map(\.key)
        guard !numbers.isEmpty || deferredChannels.count < waiting else {
            return complain("there is no channel with the label “\(label)” to close")
        }
        for number in numbers {
            channels[number]?.isOpen = false
            await channels[number]?.channel.close()
        }
    }

    // MARK: Sending

    /// Queues a message for the first open channel of this label, now or later.
    func enqueue(_ payload: InputLine.Payload, to label: String) {
        sendQueues[label, default: SendQueue()].messages.append(DataChannel.Message(payload))
        pump(label)
    }

    /// Goes on with what waits, once the connection is there again.
    func pumpAll() {
        for label in sendQueues.keys { pump(label) }
    }

    private func pump(_ label: String) {
        guard let queue = sendQueues[label], !queue.isRunning, !queue.messages.isEmpty else { return }
        guard let number = openChannel(label) else { return }
        sendQueues[label]?.isRunning = true
        Task { await send(label, number) }
    }

    /// The open channel of this label that is oldest.
    private func openChannel(_ label: String) -> ChannelNumber? {
        channels.filter { $0.value.isOpen && $0.value.channel.label == label }.map(\.key).min()
    }

    /// Sends what is queued, as fast as the channel takes it.
    private func send(_ label: String, _ number: ChannelNumber) async {
        while channels[number]?.isOpen == true, let channel = channels[number]?.channel,
            let message = sendQueues[label]?.messages.popFirst()
        {
            do {
                try await channel.send(contentsOf: [message])
            } catch let error as RTCError where error.code == .channelClosed {
                // It waits for the next channel of this label.
                sendQueues[label]?.messages.prepend(message)
                channels[number]?.isOpen = false
            } catch let error as RTCError where error.code == .connectionFailed || error.code == .network {
                // It waits for the connection: an ICE restart may mend it.
                sendQueues[label]?.messages.prepend(message)
                sendQueues[label]?.isRunning = false
                return
            } catch {
                complain((error as? RTCError)?.message ?? "\(error)")
            }
        }
        sendQueues[label]?.isRunning = false
        pump(label)
    }

    /// Waits until what was asked to be sent has left, for those labels that have an open channel.
    func flushSendQueues(within limit: Duration) async {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            var isBusy = false
            for (label, queue) in sendQueues {
                guard let number = openChannel(label), let channel = channels[number]?.channel else { continue }
                let unsent = await channel.bufferedAmount
                isBusy = isBusy || queue.isRunning || !queue.messages.isEmpty || unsent > 0
            }
            guard isBusy else { return }
            try? await Task.sleep(for: .milliseconds(2))
        }
    }
}

extension DataChannelOptions {
    /// These options, with what a line says of one channel. A limit of one kind takes the place of one of the other.
    func applying(_ request: InputLine.ChannelRequest) -> DataChannelOptions {
        var options = self
        if let ordered = request.ordered { options.isOrdered = ordered }
        if request.maxRetransmits != nil || request.maxPacketLifeTime != nil {
            options.maxRetransmits = request.maxRetransmits
            options.maxPacketLifeTime = request.maxPacketLifeTime.map { .milliseconds(Int($0)) }
        }
        if let name = request.protocol { options.protocol = name }
        options.negotiatedID = request.negotiatedID
        return options
    }
}

extension DataChannel.Message {
    init(_ payload: InputLine.Payload) {
        switch payload {
        case .text(let text): self = .text(text)
        case .binary(let bytes): self = .binary(bytes)
        }
    }
}
