public import CoreGraphics
@_exported public import QuartzCore

public class NSCoder {}

@MainActor open class UIView {
    public init(frame: CGRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open var bounds: CGRect { get { fatalError() } set { fatalError() } }
    open var layer: CALayer { fatalError() }
    open func layoutSubviews() { fatalError() }
}
