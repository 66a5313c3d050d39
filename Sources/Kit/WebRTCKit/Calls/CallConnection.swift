internal import Logging
internal import RTC
internal import RTCPeer
internal import Synchronization

/// The connection of one call. What is to be done with it is done one after the other, in the order in which it was asked
/// for; what it does is told in the order in which it happens. It has to be closed.
final class CallConnection: Sendable {
    /// What a connection does.
    enum Output: Sendable {
        case core(CallCore.ConnectionEvent)
        /// The state of the peer connection changed; `reason` says why it is `failed`.
        case state(ConnectionState, reason: String?)
        /// The peer added a track, or moved it to other streams.
        case track(RTPTransceiver)
        /// The peer removed a track.
        case trackRemoved(RTPTransceiver)
        /// The peer opened a data channel.
        case channel(DataChannel)
        /// The quality of the call changed.
        case quality(CallQuality)
    }

    typealias Command = @Sendable (CallConnection) async -> Void

    let number: CallCore.ConnectionNumber
    let connection: PeerConnection
    let log: Logger
    /// The transceivers that send our tracks, and how much they may send.
    let sending: Mutex<[MediaKind: SendingState]>
    let quality = Mutex(CallQualityMeter())
    /// Whether this machine has a network, and the signalling a server.
    let isOnline = Atomic(true)
    private let commands: AsyncStream<Command>.Continuation
    /// Whether the first exchange of descriptions has succeeded: what cannot be used later does not end the call.
    private let hasExchanged = Mutex(false)
    let isClosed = Atomic(false)
    /// The other peer's signals that may wait: it can send them faster than a connection takes them.
    static let maximumWaitingSignals = 256
    private let waitingSignals = Atomic(0)
    /// How many found no room.
    let droppedSignals = Atomic(0)
    private let adjusting: Mutex<Task<Void, Never>?> = Mutex(nil)
    let output: @Sendable (CallCore.ConnectionNumber, Output) async -> Void

    /// - Parameter output: Told what the connection does, one thing after the other.
    init(
        number: CallCore.ConnectionNumber, configuration: PeerConnection.Configuration, config: Config,
        output: @escaping @Sendable (CallCore.ConnectionNumber, Output) async -> Void
    ) throws(RTCError) {
        self.number = number
        self.output = output
        log = configuration.logger
        connection = try PeerConnection(configuration: configuration)
        sending = Mutex([
            .audio: SendingState(config.audio),
            .video: SendingState(config.video),
        ])
        let (stream, continuation) = AsyncStream.makeStream(of: Command.self)
        commands = continuation
        // Before anything happens, so that nothing is missed. Both end when the connection is closed.
        let (signals, events) = (connection.signals, connection.events)
        Task { for await signal in signals { await output(number, .core(.signal(signal))) } }
        Task { [weak connection] in
            for await event in events { await Self.tell(event, of: connection, to: { await output(number, $0) }) }
        }
        // Keeps this object until it is closed, so that every command gets its turn, and whoever waits for one its answer.
        Task { for await command in stream { await command(self) } }
    }

    private static func tell(
        _ event: PeerConnection.Event, of connection: PeerConnection?, to output: (Output) async -> Void
    ) async {
        switch event {
        case .connectionStateChange(let state):
            await output(.state(state, reason: state == .failed ? await connection?.failureReason : nil))
            await output(.core(.state(state)))
            guard let connection else { return }
            switch state {
            case .connected:
                if let (local, remote) = await connection.verifiedFingerprints {
                    await output(.core(.fingerprints(local: local, remote: remote)))
                }
            case .failed:
                if await connection.isFailureFinal {
                    await output(.core(.failed(await connection.failureReason ?? "the connection failed")))
                }
            default: break
            }
        case .track(let transceiver, _): await output(.track(transceiver))
        case .trackRemoved(let transceiver): await output(.trackRemoved(transceiver))
        case .dataChannel(let channel): await output(.channel(channel))
        default: break
        }
    }

    /// How good the call is; `nil` in its first seconds.
    var currentQuality: CallQuality? { quality.withLock { $0.quality } }

    func setOnline(_ isOnline: Bool) { self.isOnline.store(isOnline, ordering: .relaxed) }

    // MARK: Commands

    /// Does something with the connection when its turn has come.
    func enqueue(_ command: @escaping Command) { commands.yield(command) }

    /// Does something with the connection when its turn has come, and waits for it. It stands in line before anything is
    /// waited for: whoever asks on one actor, for two things in turn, has them done in this order.
    ///
    /// - Throws: What `body` throws; `invalidState` once the connection is closed.
    nonisolated(nonsending) func perform<Result: Sendable>(
        _ body: @escaping @Sendable (CallConnection) async throws(RTCError) -> Result
    ) async throws(RTCError) -> Result {
        let result: Swift.Result<Result, RTCError> = await withCheckedContinuation { continuation in
            let yielded = commands.yield { call in
                do throws(RTCError) {
                    continuation.resume(returning: .success(try await body(call)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            if case .terminated = yielded { continuation.resume(returning: .failure(.callIsOver)) }
        }
        return try result.get()
    }

    /// Gives the connection what the other peer signalled, if not too much of that waits.
    func receive(_ signal: Signal) {
        guard waitingSignals.add(1, ordering: .relaxed).newValue <= Self.maximumWaitingSignals else {
            waitingSignals.subtract(1, ordering: .relaxed)
            if droppedSignals.add(1, ordering: .relaxed).newValue == 1 {
                log.warning("The other peer signals faster than a connection can take it; what is too much is dropped")
            }
            return
        }
        enqueue { call in
            defer { call.waitingSignals.subtract(1, ordering: .relaxed) }
            do throws(RTCError) {
                try await call.connection.receive(signal)
                if case .description = signal { call.hasExchanged.withLock { $0 = true } }
            } catch {
                guard case .description = signal, !call.hasExchanged.withLock({ $0 }) else {
                    return call.log.info("The other peer signalled what cannot be used: \(error.message)")
                }
                await call.fail(error.message)
            }
        }
    }

    /// Nothing will come of the connection.
    func fail(_ message: String) async {
        await output(number, .core(.failed(message)))
    }

    func setPolite(_ isPolite: Bool) { enqueue { await $0.connection.setPolite(isPolite) } }

    /// - Parameter servers: The ICE servers as of now: credentials of relays run out in a long call.
    func restartICE(servers: [PeerConnection.ICEServer]) {
        enqueue { await $0.restart(servers) }
    }

    func restart(_ servers: [PeerConnection.ICEServer]) async {
        do throws(RTCError) {
            try await connection.setICEServers(servers)
        } catch {
            log.warning("The ICE servers stay as they were: \(error.message)")
        }
        await connection.restartICE()
    }

    // MARK: Closing

    /// Looks after the bitrates and the quality until the end.
    func startAdjusting() {
        let task = Task { [weak self] in
            while (try? await Task.sleep(for: .seconds(1))) != nil { await self?.adjustBitrates() }
        }
        let old = adjusting.withLock { adjusting in
            defer { adjusting = task }
            return adjusting
        }
        old?.cancel()
    }

    /// Closes the connection at once, whatever it is doing.
    ///
    /// - Returns: What is done when all is closed, with the connection's last figures.
    func close() -> Task<StatisticsReport?, Never> {
        commands.finish()
        isClosed.store(true, ordering: .sequentiallyConsistent)
        adjusting.withLock { $0 }?.cancel()
        stopProbes()
        let connection = connection
        return Task(priority: .userInitiated) {
            let statistics = await connection.getStats()
            await connection.close()
            return statistics
        }
    }
}

extension RTCError {
    static var callIsOver: RTCError { RTCError(code: .invalidState, message: "the call is over") }
}
