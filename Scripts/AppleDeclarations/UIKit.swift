public import CoreGraphics
@_exported public import Foundation
@_exported public import QuartzCore

open class UIColor: NSObject, @unchecked Sendable {
    open class var black: UIColor { fatalError() }
}

@MainActor open class UIView: NSObject {
    public init(frame: CGRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open var frame: CGRect { get { fatalError() } set { fatalError() } }
    open var backgroundColor: UIColor? { get { fatalError() } set { fatalError() } }
    open var isOpaque: Bool { get { fatalError() } set { fatalError() } }
    open func addSubview(_ view: UIView) { fatalError() }
    open var bounds: CGRect { get { fatalError() } set { fatalError() } }
    open var layer: CALayer { fatalError() }
    open func layoutSubviews() { fatalError() }
}
