#if os(iOS) || os(visionOS)
    import Foundation
    import Intents

    /// Whom the person wants to call back, by the system's list of recent calls or by a contact's card.
    struct CallBack {
        /// What Info.plist names under NSUserActivityTypes.
        static let activityType = "INStartCallIntent"

        /// The handle that the call was reported with.
        let peer: String
        let hasVideo: Bool

        /// - Returns: `nil` for an activity that names nobody.
        init?(_ activity: NSUserActivity) {
            guard let intent = activity.interaction?.intent as? INStartCallIntent,
                let peer = intent.contacts?.first?.personHandle?.value
            else { return nil }
            self.peer = peer
            hasVideo = intent.callCapability == .videoCall
        }
    }
#endif
