import SwiftUI
import WebRTCKit

/// Shows the kit's log, to share.
struct LogView: View {
    let log: CallLog
    @State private var text = ""

    var body: some View {
        VStack {
            ScrollView {
                Text(text.isEmpty ? "Nothing was logged." : text).font(.caption).padding()
            }
            HStack(spacing: 24) {
                Button("Refresh") { text = log.text }
                ShareLink("Share", item: text)
            }
            .padding()
        }
        .onAppear { text = log.text }
        .navigationTitle("Log")
    }
}
