internal import NIOCore
internal import NIOPosix
internal import RTCWire

/// A client of a NATS server or cluster.
///
/// ```swift
/// let client = try NATSClient(NATSClient.Configuration(servers: [NATSServer("nats://localhost")]))
/// try await client.connect()
/// let greetings = try await client.subscribe(NATSSubjectFilter("greetings.*"))
/// try await client.publish(NATSSubject("greetings.joe"), Array("hello".utf8))
/// ```
///
/// After the first connection it connects again whenever it has to, until ``close()`` or ``drain(within:)``. The actor runs on a
/// SwiftNIO event loop, together with its socket.
public actor NATSClient {
    private nonisolated let loop: any EventLoop
    /// Accessible only on the loop, which isolation to this actor guarantees.
    private nonisolated let box: NIOLoopBoundBox<ConnectionDriver>
    package nonisolated let configuration: Configuration

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.executor.asUnownedSerialExecutor()
    }

    private var driver: ConnectionDriver { box.value }

    /// Creates a client that is not connected.
    ///
    /// - Throws: ``NATSError`` `invalidArgument`, or `untrusted` if the trusted certificates cannot be read.
    public init(_ configuration: Configuration) throws(NATSError) {
        try configuration.check()
        loop = MultiThreadedEventLoopGroup.singleton.next()
        self.configuration = configuration
        box = NIOLoopBoundBox.makeBoxSendingValue(try ConnectionDriver(configuration, on: loop), eventLoop: loop)
    }

    deinit {
        let box = box
        loop.execute { box.value.close() }
    }

    // MARK: The connection

    /// Connects to one of the servers, in random order.
    ///
    /// - Throws: ``NATSError`` if each of them was tried once and failed: `unreachable`, `untrusted`, `unauthorized`, `refused`. The
    ///   client is closed then.
    public func connect() async throws(NATSError) {
        let error = await withCheckedContinuation { driver.start($0) }
        if let error { throw error }
    }

    package var isConnected: Bool { driver.isConnected }

    /// The server at the other end; `nil` while there is none.
    package var server: NATSServerInfo? { driver.info }

    /// Returns what happens to the connection from now on, beginning with `connected` if it is. A reader that is slow misses the
    /// oldest of more than 64 events.
    package func events() -> AsyncStream<NATSEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: NATSEvent.self, bufferingPolicy: .bufferingNewest(64))
        driver.observe(continuation)
        return stream
    }

    /// Closes the connection at once. Requests fail with `closed`, subscriptions end.
    public func close() async {
        _ = await withCheckedContinuation { driver.finish(drainingWithin: nil, $0) }
    }

    /// Ends all subscriptions after the messages that are on their way, waits for the answers to requests, and closes the connection
    /// when the server has everything that was published.
    ///
    /// - Throws: ``NATSError`` `timeout`, or why the connection was lost meanwhile. The client is closed in any case.
    public func drain(within time: Duration = .seconds(30)) async throws(NATSError) {
        let error = await withCheckedContinuation { driver.finish(drainingWithin: TimeDelta(time), $0) }
        if let error { throw error }
    }

    // MARK: Messages

    /// Publishes a message, of which nobody is told whether it arrives. Waits while the socket takes no more.
    ///
    /// Without a connection the message is kept for the next one, within ``Configuration/maximumBuffered``.
    ///
    /// - Throws: ``NATSError`` `payloadTooLarge`, `bufferFull`, `headersUnsupported`, `draining`, `closed`.
    package func publish(
        _ subject: NATSSubject, _ payload: [UInt8], headers: NATSHeaders = NATSHeaders(), reply: NATSSubject? = nil
    ) async throws(NATSError) {
        if driver.isCongested { await withCheckedContinuation { driver.waitUntilWritable($0) } }
        try driver.publish(subject, reply: reply, headers: headers, payload: payload)
    }

    /// Subscribes. The server knows of it once ``flush(timeout:)`` has returned.
    ///
    /// - Parameter queue: A group of subscriptions, of which one receives each message.
    /// - Throws: ``NATSError`` `tooManySubscriptions`, `draining`, `closed`.
    package func subscribe(
        _ filter: NATSSubjectFilter, queue: NATSSubject? = nil, buffer limits: BufferLimits = BufferLimits()
    ) throws(NATSError) -> NATSSubscription {
        let (id, buffer) = try driver.subscribe(filter, queue: queue, limits)
        let (loop, box) = (loop, box)
        return NATSSubscription(
            handle: NATSSubscription.Handle(buffer) { loop.execute { box.value.unsubscribe(id) } })
    }

    /// Publishes a message and waits for the first answer.
    ///
    /// - Throws: ``NATSError`` `noResponders` and `notConnected` if nobody has received it; `timeout`, `connectionLost` and
    ///   `cancelled` if that is unknown.
    package func request(
        _ subject: NATSSubject, _ payload: [UInt8], headers: NATSHeaders = NATSHeaders(),
        timeout: Duration = .seconds(5)
    ) async throws(NATSError) -> NATSMessage {
        if driver.isCongested { await withCheckedContinuation { driver.waitUntilWritable($0) } }
        let id = try driver.request(subject, headers: headers, payload: payload, timeout: TimeDelta(timeout))
        return try await answer(id)
    }

    /// Waits until the server has received all that was said before.
    package func flush(timeout: Duration = .seconds(5)) async throws(NATSError) {
        _ = try await answer(try driver.flush(timeout: TimeDelta(timeout)))
    }

    private func answer(_ id: UInt64) async throws(NATSError) -> NATSMessage {
        let (loop, box) = (loop, box)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { driver.expect(id, $0) }
        } onCancel: {
            loop.execute { box.value.cancel(id) }
        }
        return try result.get()
    }

    /// A subject under which only this client can be reached.
    func newInbox() -> NATSSubject {
        inboxes += 1
        return NATSSubject(unchecked: "\(driver.inbox)-\(inboxes)")
    }

    private var inboxes = 0
}
