#if os(iOS) || os(visionOS)
    import Foundation
    import Intents

    /// A peer to call back, from the system's list of recent calls or a contact's card.
    struct CallBack {
        /// The entry of Info.plist under NSUserActivityTypes.
        static let activityType = "INStartCallIntent"

        /// The handle with which the call was reported.
        let peer: String
        let hasVideo: Bool

        /// - Returns: `nil` for an activity without a contact.
        init?(_ activity: NSUserActivity) {
            guard let intent = activity.interaction?.intent as? INStartCallIntent,
                let peer = intent.contacts?.first?.personHandle?.value
            else { return nil }
            self.peer = peer
            hasVideo = intent.callCapability == .videoCall
        }
    }
#endif
