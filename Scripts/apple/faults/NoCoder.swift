// on: ios visionos
// refused: init\(coder:\).* must be provided
import UIKit
final class Mine: UIView {
    let name: String
    init(name: String) {
        self.name = name
        super.init(frame: .zero)
    }
}
