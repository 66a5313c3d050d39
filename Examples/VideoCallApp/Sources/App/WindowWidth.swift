import SwiftUI

/// Tells its content whether the window is narrow: an iPhone in portrait, or a narrow window on an iPad.
struct WindowWidth<Content: View>: View {
    #if os(macOS)
        private let isNarrow = false
    #else
        @Environment(\.horizontalSizeClass) private var sizeClass
        private var isNarrow: Bool { sizeClass == .compact }
    #endif
    private let content: (_ isNarrow: Bool) -> Content

    init(@ViewBuilder content: @escaping (_ isNarrow: Bool) -> Content) {
        self.content = content
    }

    var body: some View { content(isNarrow) }
}
