/// What a subscription receives.
package enum NATSDelivery: Hashable, Sendable {
    case message(NATSMessage)
    /// Messages are missing here.
    case lost(NATSLoss)

    package var message: NATSMessage? {
        if case .message(let message) = self { message } else { nil }
    }
}

/// The messages of a subscription, in the order in which the server sent them. It lasts over connections, and ends when the client
/// is closed, or when ``cancel()`` was called, or when nobody has it any more.
///
/// It is read by one task. Messages that are not read wait in a buffer of limited size; ``NATSDelivery/lost(_:)`` says where some are
/// missing. NATS itself keeps nothing: what is published while there is no connection never arrives.
package struct NATSSubscription: AsyncSequence, Sendable {
    package typealias Element = NATSDelivery
    package typealias Failure = NATSError

    /// Ends the subscription when nobody has it any more.
    package final class Handle: Sendable {
        let buffer: DeliveryBuffer
        private let cancelling: @Sendable () -> Void

        package init(_ buffer: DeliveryBuffer, cancelling: @escaping @Sendable () -> Void) {
            self.buffer = buffer
            self.cancelling = cancelling
        }

        func cancel() { cancelling() }

        deinit { cancelling() }
    }

    let handle: Handle

    package init(handle: Handle) {
        self.handle = handle
    }

    /// Ends the subscription. What has arrived can still be read.
    package func cancel() {
        handle.cancel()
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(handle: handle)
    }

    package struct Iterator: AsyncIteratorProtocol {
        let handle: Handle

        /// - Throws: ``NATSError`` `permissionDenied`, or why the client's connection has ended for good.
        package mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(NATSError)
            -> NATSDelivery?
        {
            switch await handle.buffer.next() {
            case .delivery(let delivery): return delivery
            case .end(let error):
                if let error { throw error }
                return nil
            case .timedOut: return nil
            }
        }
    }
}
