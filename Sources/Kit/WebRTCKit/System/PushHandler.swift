public import Foundation

/// The system's pushes of incoming calls as ``PushHandler`` sees them: PushKit on iOS and visionOS, a stand-in in tests.
///
/// Its rule is PushKit's: before the handler of a push returns, a call must have been reported. Otherwise the app is killed.
@MainActor
public protocol PushRegistry: AnyObject {
    /// Set by ``PushHandler``.
    var onEvent: (@MainActor (PushHandler.Event) -> Void)? { get set }

    /// Asks for pushes of calls, and for the token that names this app on this device.
    func register()

    /// Asks for no more pushes, and gives the token up.
    func unregister()
}

/// Reports the calls that pushes announce.
///
/// The app's server sends a push for a call to a peer that is not connected to the signalling. It must be made when the app
/// starts, before anything else: the system may have started the app for a push.
///
/// ```swift
/// let pushes = PushHandler(registry: SystemPushRegistry(), calls: calls) { payload in
///     let invitation = try JSONDecoder().decode(Invitation.self, from: payload)
///     return SystemCalls.Caller(peer: invitation.from, displayName: invitation.name)
/// }
/// pushes.onToken = { token in … }
/// ```
///
/// Each push leads to a reported call, also one that cannot be read: that call is shown and ended at once. Then the kit
/// connects to the signalling, whose invitation must follow within ``SystemCalls/Settings/invitationTimeout``.
@MainActor
public final class PushHandler {
    public enum Event {
        /// What names this app on this device to the push service.
        case token(Data)
        case tokenInvalidated
        /// - Parameters:
        ///   - payload: JSON, as the server has sent it.
        ///   - completion: To be called when the push was dealt with.
        case push(payload: Data, completion: () -> Void)
    }

    /// Told of the token, which the app's server needs to send pushes; `nil` when it is good no more.
    public var onToken: (@MainActor (Data?) -> Void)? {
        didSet { if let token { onToken?(token) } }
    }

    public private(set) var token: Data?

    private let registry: any PushRegistry
    private let calls: SystemCalls
    private let readPayload: @MainActor (Data) throws -> SystemCalls.Caller

    /// - Parameters:
    ///   - registry: `SystemPushRegistry()` on iOS and visionOS.
    ///   - calls: Where the calls are reported.
    ///   - readPayload: Says who calls. It must not wait for anything. If it throws, there is no call for the person.
    public init(
        registry: any PushRegistry, calls: SystemCalls,
        readPayload: @escaping @MainActor (Data) throws -> SystemCalls.Caller
    ) {
        self.registry = registry
        self.calls = calls
        self.readPayload = readPayload
        registry.onEvent = { [weak self, calls] event in
            if let self {
                heard(event)
            } else if case .push(_, let completion) = event {
                // Nobody is there who could read it, and the system wants a call all the same.
                calls.reportPush(nil, completion: completion)
            }
        }
        registry.register()
    }

    /// Asks for no more pushes, when nobody is signed in any more: tell your server that the ``token`` is good no more.
    /// ``register()`` asks for them again.
    public func unregister() {
        registry.unregister()
        guard token != nil else { return }
        token = nil
        onToken?(nil)
    }

    /// Asks for pushes again, after ``unregister()``.
    public func register() { registry.register() }

    private func heard(_ event: Event) {
        switch event {
        case .token(let token):
            self.token = token
            onToken?(token)
        case .tokenInvalidated:
            token = nil
            onToken?(nil)
        case .push(let payload, let completion):
            // Here and now: the system looks whether it was done as soon as this returns.
            calls.reportPush(try? readPayload(payload), completion: completion)
        }
    }
}
