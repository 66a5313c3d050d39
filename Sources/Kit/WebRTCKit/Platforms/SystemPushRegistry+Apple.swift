#if canImport(PushKit) && !os(macOS)
    import Foundation
    import PushKit

    /// Receives VoIP pushes with PushKit.
    ///
    /// The app needs the capability "Push Notifications" and the background mode `voip`.
    @MainActor
    public final class SystemPushRegistry: PushRegistry {
        public var onEvent: (@MainActor (PushHandler.Event) -> Void)?

        // It calls on the main queue, which is the main actor's.
        private let registry = PKPushRegistry(queue: .main)
        private let receiver = PushReceiver()

        public init() {
            receiver.owner = self
        }

        public func register() {
            registry.delegate = receiver
            registry.desiredPushTypes = [.voIP]
        }

        public func unregister() { registry.desiredPushTypes = [] }
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
