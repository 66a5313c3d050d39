#if os(iOS) || os(visionOS)
    import Foundation
    import WebRTCKit

    // Pushes of an app's own server, as the article on calls of the system has them.

    /// What the server of the app sends by push when somebody calls.
    struct PushedInvitation: Decodable {
        let from: PeerID
        let name: String?
        /// Whether your server has verified the name. Beside one that the caller chose itself its identifier is shown.
        let nameIsProven: Bool?
        let hasVideo: Bool?
        /// The identifier of the call, by which its invitation is recognised.
        let call: String?
    }

    @MainActor
    func makePushHandler(_ calls: SystemCalls) -> PushHandler {
        let pushes = PushHandler(registry: SystemPushRegistry(), calls: calls) { payload in
            let invitation = try JSONDecoder().decode(PushedInvitation.self, from: payload)
            return SystemCalls.Caller(
                peer: invitation.from, displayName: invitation.name, nameIsProven: invitation.nameIsProven ?? false,
                hasVideo: invitation.hasVideo ?? false, call: invitation.call.flatMap { CallIdentifier(rawValue: $0) })
        }
        pushes.onToken = { token in
            // The server of the app needs it to send pushes to this device.
            print("the token for pushes: \(token?.base64EncodedString() ?? "none")")
        }
        return pushes
    }
#endif
