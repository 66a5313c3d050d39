import SwiftUI

/// Buttons to send the camera, the screen or augmented reality.
struct SharingButtons: View {
    let sharing: SharingModel
    let calls: CallModel

    var body: some View {
        ForEach(SharingModel.Shared.allCases) { shared in
            if shared != sharing.shared {
                Button("Send: \(shared.rawValue)") { sharing.share(shared, in: calls) }
            }
        }
    }
}
