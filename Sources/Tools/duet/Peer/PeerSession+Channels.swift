import DuetShell
import RTC

/// Distinguishes channels with the same label.
typealias ChannelNumber = Int

/// A data channel that is not closed yet.
struct ChannelEntry {
    let channel: DataChannel
    /// Whether messages can be sent.
    var isOpen = false
    /// Reads the channel until its end.
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

    /// Handles a channel that was opened here.
    func serve(_ channel: DataChannel) {
        let bench = channel.options.protocol == BenchPlan.protocolName ? settings.bench : nil
        serve(channel, isIncoming: false, bench: bench)
    }

    /// Handles a channel that the other peer opened.
    func accept(_ channel: DataChannel) {
        serve(channel, isIncoming: true, bench: nil)
    }

    private func serve(_ channel: DataChannel, isIncoming: Bool, bench: BenchPlan?) {
        let number = nextChannelNumber
        nextChannelNumber += 1
        channels[number] = ChannelEntry(channel: channel)
        channels[number]?.task = Task {
            // An incoming channel is open. Its messages are printed even if it is closed by now.
            var isOpen = isIncoming
            if !isOpen { isOpen = (try? await channel.waitUntilOpen()) != nil }
            if isOpen {
                didOpen(number)
                await use(channel, bench: bench)
            }
            didClose(number)
        }
    }

    /// Reads an open channel or runs a measurement, until it is closed and empty.
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
        output.write(.event("dataChannel", ["label": label, "state": state]))
    }

    // MARK: Closing

    /// Closes all channels with this label.
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

    /// Queues a message for the first open channel with this label, now or later.
    func enqueue(_ payload: InputLine.Payload, to label: String) {
        sendQueues[label, default: SendQueue()].messages.append(DataChannel.Message(payload))
        pump(label)
    }

    /// Sends waiting messages after the connection was restored.
    func pumpAll() {
        for label in sendQueues.keys { pump(label) }
    }

    private func pump(_ label: String) {
        guard let queue = sendQueues[label], !queue.isRunning, !queue.messages.isEmpty else { return }
        guard let number = openChannel(label) else { return }
        sendQueues[label]?.isRunning = true
        Task { await send(label, number) }
    }

    /// The oldest open channel with this label.
    private func openChannel(_ label: String) -> ChannelNumber? {
        channels.filter { $0.value.isOpen && $0.value.channel.label == label }.map(\.key).min()
    }

    /// Sends the queued messages, as fast as the channel accepts them.
    private func send(_ label: String, _ number: ChannelNumber) async {
        while channels[number]?.isOpen == true, let channel = channels[number]?.channel,
            let message = sendQueues[label]?.messages.popFirst()
        {
            do {
                try await channel.send(contentsOf: [message])
            } catch let error as RTCError where error.code == .channelClosed {
                // The message waits for the next channel with this label.
                sendQueues[label]?.messages.prepend(message)
                channels[number]?.isOpen = false
            } catch let error as RTCError where error.code == .connectionFailed || error.code == .network {
                // The message waits for the connection, which an ICE restart may restore.
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

    /// Waits until queued messages were sent, for labels with an open channel.
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
    /// These options with those of a line. `maxRetransmits` and `maxPacketLifeTime` replace each other.
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
