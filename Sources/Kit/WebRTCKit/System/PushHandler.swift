public import Foundation

/// The source of VoIP pushes, as ``PushHandler`` uses it: PushKit on iOS and visionOS, a mock in tests.
///
/// PushKit's rule applies: a call has to be reported before the handler of a push returns. Otherwise the system ends
/// the app.
@MainActor
package protocol PushRegistry: AnyObject {
    /// Called for each event. Set by ``PushHandler``.
    var onEvent: (@MainActor (PushHandler.Event) -> Void)? { get set }

    /// Registers for VoIP pushes, and requests a push token.
    func register()

    /// Unregisters from VoIP pushes, and gives up the push token.
    func unregister()
}

/// Reports the calls that VoIP pushes announce.
///
/// The app's server sends a push when somebody calls a peer that is not connected to the signalling server. Create the
/// handler when the app starts, before anything else, since the system may have started the app for a push. Keep it: the
/// calls of pushes that arrive without a handler are ended at once.
///
/// ```swift
/// let pushes = PushHandler(registry: SystemPushRegistry(), calls: calls) { payload in
///     let invitation = try JSONDecoder().decode(Invitation.self, from: payload)
///     return SystemCalls.Caller(
///         peer: invitation.from, displayName: invitation.name, call: CallIdentifier(rawValue: invitation.call))
/// }
/// pushes.onToken = { token in … }
/// ```
///
/// For the pushes of `duet serve`, use ``init(registry:calls:server:)``, which reads them and tells the server the token.
///
/// A call is reported for each push; if the payload cannot be read, it is ended at once. The kit then connects to the
/// signalling server, whose invitation must arrive within ``SystemCalls/Settings/invitationTimeout``. It is recognised by the
/// identifier of the call, if the payload names it, and by the caller's ``SystemCalls/Caller/peer`` otherwise. If the call ends
/// before that, see ``SystemCalls/withdrawCall(of:call:because:)``.
@MainActor
public final class PushHandler {
    /// An event of a `PushRegistry`.
    package enum Event {
        /// The push token of the app on this device.
        case token(Data)
        case tokenInvalidated
        /// A push arrived.
        ///
        /// - Parameters:
        ///   - payload: The JSON that the server has sent.
        ///   - completion: Has to be called when the push was handled.
        case push(payload: Data, completion: () -> Void)
    }

    /// Called with the push token, which the app's server needs to send pushes; with `nil` when it becomes invalid.
    public var onToken: (@MainActor (Data?) -> Void)? {
        didSet { if let token { onToken?(token) } }
    }

    /// The push token of the app on this device; `nil` before the system has issued one, and after it became invalid.
    public private(set) var token: Data?

    /// Called with the push token, and with `nil`, before ``onToken`` is: tells a Duet server.
    var onServerToken: (@MainActor (Data?) -> Void)? {
        didSet { if let token { onServerToken?(token) } }
    }

    /// Called after a push was reported.
    var onPush: (@MainActor () -> Void)?

    private let registry: any PushRegistry
    private let calls: SystemCalls
    private let readPayload: @MainActor (Data) throws -> SystemCalls.Caller

    /// Creates a handler, which registers for pushes.
    ///
    /// - Parameters:
    ///   - registry: The source of the pushes, or a mock.
    ///   - calls: The receiver of the announced calls.
    ///   - readPayload: Returns the caller that a payload names, with the peer or the identifier of its invitation:
    ///     ``SystemCalls/Caller/call``. It must not wait for anything. If it throws, the call is ended at once.
    package init(
        registry: any PushRegistry, calls: SystemCalls,
        readPayload: @escaping @MainActor (Data) throws -> SystemCalls.Caller
    ) {
        self.registry = registry
        self.calls = calls
        self.readPayload = readPayload
        registry.onEvent = { [weak self, calls] event in
            if let self {
                handle(event)
            } else if case .push(_, let completion) = event {
                // There is no reader for the payload, and the system requires a call nevertheless.
                calls.reportPush(nil, completion: completion)
            }
        }
        registry.register()
    }

    /// Unregisters from pushes, after the user has signed out. Tell your server that the ``token`` is invalid.
    /// ``register()`` registers again.
    public func unregister() {
        registry.unregister()
        // A Duet server may have the token of an earlier launch, though the system has issued none in this one yet.
        guard token != nil else {
            onServerToken?(nil)
            return
        }
        setToken(nil)
    }

    /// Registers for pushes again, after ``unregister()``.
    public func register() { registry.register() }

    private func handle(_ event: Event) {
        switch event {
        case .token(let token): setToken(token)
        case .tokenInvalidated: setToken(nil)
        case .push(let payload, let completion):
            // Synchronously, because the system checks it when this method returns.
            calls.reportPush(try? readPayload(payload), completion: completion)
            onPush?()
        }
    }

    private func setToken(_ token: Data?) {
        self.token = token
        onServerToken?(token)
        onToken?(token)
    }
}
