import SwiftUI

@main
struct VideoCallApp: App {
    // Created when the app starts, also in the background for a push.
    @State private var model = AppModel()

    var body: some Scene {
        WindowGroup {
            RootView(model: model)
                // The redirect of a sign-in, if the system delivers it to the app.
                .onOpenURL { model.account.open($0) }
                #if os(iOS) || os(visionOS)
                    // A call in the system's list of recent calls, or in a contact's card.
                    .onContinueUserActivity(CallBack.activityType) { activity in
                        if let call = CallBack(activity) { model.calls.callBack(call.peer, hasVideo: call.hasVideo) }
                    }
                #endif
        }
    }
}
