import SwiftUI

/// Shows a sidebar and the chosen screen; in a narrow window, one after the other. A call fills the window.
struct RootView: View {
    let model: AppModel
    @State private var place: Place? = .calls

    enum Place: String, CaseIterable, Identifiable {
        case calls = "Calls"
        case devices = "Camera and microphone"
        case web = "A web page"
        case account = "Account"
        case log = "Log"

        var id: Self { self }
        var symbol: String {
            switch self {
            case .calls: "phone"
            case .devices: "video"
            case .web: "globe"
            case .account: "person"
            case .log: "doc.text"
            }
        }
    }

    var body: some View {
        switch model.calls.stage {
        case .incoming(let name): IncomingCallView(model: model.calls, caller: name)
        // One view for all stages of a call: what was begun in it goes on.
        case .calling, .connecting, .inCall: CallView(model: model, title: model.calls.title)
        case .signedOut, .signingIn, .ready: places
        }
    }

    private var places: some View {
        NavigationSplitView {
            List(Place.allCases, selection: $place) { place in
                Label(place.rawValue, systemImage: place.symbol)
            }
            .navigationTitle("Video calls")
        } detail: {
            switch place {
            case .calls, nil: CallsView(model: model)
            case .devices: DevicesView(devices: model.devices, calls: model.calls)
            case .web: WebPageScreen()
            case .account: AccountView(account: model.account, calls: model.calls)
            case .log: LogView(log: model.log)
            }
        }
    }
}
