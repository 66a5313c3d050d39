import RTCWebView
import SwiftUI

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
            WebPageView(page)
        }
        .onAppear { address = page }
        .navigationTitle("A web page")
    }
}
