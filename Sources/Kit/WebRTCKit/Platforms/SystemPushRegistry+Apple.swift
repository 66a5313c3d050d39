#if canImport(PushKit) && !os(macOS)
    public import Foundation
    import PushKit

    /// Receives VoIP pushes with PushKit.
    ///
    /// The app needs the capability "Push Notifications" and the background mode `voip`.
    @MainActor
    public final class SystemPushRegistry: PushRegistry {
        package var onEvent: (@MainActor (PushHandler.Event) -> Void)?

        // It calls on the main queue, which is the main actor's.
        private let registry = PKPushRegistry(queue: .main)
        private let receiver = PushReceiver()

        public init() {
            receiver.owner = self
        }

        package func register() {
            registry.delegate = receiver
            registry.desiredPushTypes = [.voIP]
        }

        package func unregister() { registry.desiredPushTypes = [] }
    }

    extension PushHandler {
        /// Creates a handler, which registers for pushes.
        ///
        /// - Parameters:
        ///   - registry: The source of the pushes.
        ///   - calls: The receiver of the announced calls.
        ///   - readPayload: Returns the caller that a payload names, with the peer or the identifier of its invitation:
        ///     ``SystemCalls/Caller/call``. It must not wait for anything. If it throws, the call is ended at once.
        public convenience init(
            registry: SystemPushRegistry, calls: SystemCalls,
            readPayload: @escaping @MainActor (Data) throws -> SystemCalls.Caller
        ) {
            let source: any PushRegistry = registry
            self.init(registry: source, calls: calls, readPayload: readPayload)
        }

        /// Creates a handler for the pushes of a Duet server, which registers for pushes and tells the server the device's token.
        ///
        /// A call is reported for each push at once. The connection to the server is made or checked, its invitation is attached
        /// to the call, and if the server has none, the call ends as missed. After ``unregister()`` the server wakes this device
        /// no more: call it before ``WebRTCController/disconnect()``.
        ///
        /// - Parameters:
        ///   - registry: The source of the pushes.
        ///   - calls: The receiver of the announced calls.
        ///   - server: The connection of the controller of `calls`. It is not kept alive.
        public convenience init(registry: SystemPushRegistry, calls: SystemCalls, server: DuetSignaling) {
            let source: any PushRegistry = registry
            self.init(registry: source, calls: calls, server: server)
        }
    }

    /// The delegate of PushKit, on the main queue. Its protocol predates actors; the runtime checks the queue.
    @MainActor
    private final class PushReceiver: NSObject, @preconcurrency PKPushRegistryDelegate {
        weak var owner: SystemPushRegistry?

        func pushRegistry(
            _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType
        ) {
            if type == .voIP { owner?.onEvent?(.token(pushCredentials.token)) }
        }

        func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {
            if type == .voIP { owner?.onEvent?(.tokenInvalidated) }
        }

        func pushRegistry(
            _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
            completion: @escaping () -> Void
        ) {
            guard type == .voIP, let onEvent = owner?.onEvent else { return completion() }
            let dictionary = payload.dictionaryPayload
            // A payload that is not JSON becomes empty and unreadable: a call is reported nevertheless.
            let json =
                JSONSerialization.isValidJSONObject(dictionary)
                ? try? JSONSerialization.data(withJSONObject: dictionary) : nil
            onEvent(.push(payload: json ?? Data(), completion: completion))
        }
    }
#endif
