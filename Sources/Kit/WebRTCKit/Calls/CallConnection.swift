internal import Logging
internal import RTC
internal import RTCPeer
internal import Synchronization

/// The connection of one call. Commands run one after the other, in the order of the requests; events are reported in the order
/// in which they happen. It has to be closed.
final class CallConnection: Sendable {
    /// An event of a connection.
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
    /// The transceivers that send local tracks, and their bitrate limits.
    let sending: Mutex<[MediaKind: SendingState]>
    let quality = Mutex(CallQualityMeter())
    /// Whether this machine has a network, and the signalling a connection to the server.
    let isOnline = Atomic(true)
    private let commands: AsyncStream<Command>.Continuation
    /// Whether the first exchange of descriptions has succeeded: a later failure does not end the call.
    private let hasExchanged = Mutex(false)
    let isClosed = Atomic(false)
    /// The maximum number of waiting signals from the peer, which can send faster than they are handled.
    static let maximumWaitingSignals = 256
    private let waitingSignals = Atomic(0)
    /// The number of signals dropped because too many waited.
    let droppedSignals = Atomic(0)
    private let adjusting: Mutex<Task<Void, Never>?> = Mutex(nil)
    let output: @Sendable (CallCore.ConnectionNumber, Output) async -> Void

    /// - Parameter output: Receives the events of the connection, one after the other.
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
        // Subscribed before anything happens, so that no event is missed. Both end when the connection is closed.
        let (signals, events) = (connection.signals, connection.events)
        Task { for await signal in signals { await output(number, .core(.signal(signal))) } }
        Task { [weak connection] in
            for await event in events { await Self.tell(event, of: connection, to: { await output(number, $0) }) }
        }
        // Keeps this object until it is closed, so that every command runs and its caller gets a result.
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

    func setOnline(_ isOnline: Bool) { self.isOnline.store(isOnline, ordering: .relaxed) }

    // MARK: Commands

    /// Queues a command.
    func enqueue(_ command: @escaping Command) { commands.yield(command) }

    /// Queues a command, and waits for its result. It is queued before the first suspension: two calls from one actor run in
    /// their order.
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

    /// Passes a signal of the peer to the connection, unless too many wait.
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

    /// Reports that the connection cannot be used.
    func fail(_ message: String) async {
        await output(number, .core(.failed(message)))
    }

    func setPolite(_ isPolite: Bool) { enqueue { await $0.connection.setPolite(isPolite) } }

    /// - Parameter servers: The current ICE servers, since TURN credentials expire during a long call.
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

    /// Adjusts the bitrates and measures the quality until the connection is closed.
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

    /// Closes the connection at once, also while commands are waiting.
    ///
    /// - Returns: A task that ends when everything is closed, with the last statistics.
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
