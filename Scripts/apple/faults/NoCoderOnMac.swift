// on: macos
// refused: init\(coder:\).* must be provided
import AppKit
final class Mine: NSView {
    let name: String
    init(name: String) {
        self.name = name
        super.init(frame: .zero)
    }
}
