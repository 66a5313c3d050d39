import RTCWebView
import SwiftUI

extension WebViewContext {
    /// The app's context: it keeps the person's answers to pages between launches, which `shared` does not.
    fileprivate static let ofApp = WebViewContext(store: CapturePermissionFile.ofProgram)
}

/// Shows a web page that may use camera and microphone. The person is asked once per origin.
struct WebPageScreen: View {
    @AppStorage("page") private var page = "https://example.com/call"
    @State private var address = ""

    var body: some View {
        VStack {
            TextField("Address", text: $address)
                .textFieldStyle(.roundedBorder)
                .autocorrectionDisabled()
                .onSubmit { page = address }
                .padding()
            WebPageView(page, context: .ofApp)
        }
        .onAppear { address = page }
        .navigationTitle("A web page")
    }
}
