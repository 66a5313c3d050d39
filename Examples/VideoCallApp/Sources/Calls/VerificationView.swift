import SwiftUI
import WebRTCKit

/// Shows the verification code. If both people see the same, nobody is in the middle.
struct VerificationView: View {
    let status: VerificationStatus
    /// Whether there is still no code ten seconds after the call was connected.
    let isOverdue: Bool
    @State private var showsHelp = false

    var body: some View {
        switch status {
        case .waiting:
            if isOverdue {
                Text("No code. It cannot be told whether somebody is in the middle of this call.").font(.caption)
            }
        case .code(let code):
            VStack(spacing: 4) {
                Button(code.emoji.joined(separator: " ")) { showsHelp.toggle() }.font(.title)
                    .accessibilityLabel(code.emojiNames.joined(separator: ", "))
                if showsHelp {
                    Text("Read this to each other, or \(code.groupedDigits). If it differs, somebody is in the middle.")
                        .font(
                            .caption)
                }
            }
        case .failed:
            Text("Do not trust this call: somebody may be in the middle.").foregroundStyle(.red)
        }
    }
}
