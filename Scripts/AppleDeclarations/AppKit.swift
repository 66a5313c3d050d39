public import CoreGraphics
@_exported public import QuartzCore

public class NSCoder {}

@MainActor open class NSView {
    public init(frame frameRect: CGRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open var bounds: CGRect { get { fatalError() } set { fatalError() } }
    open var wantsLayer: Bool { get { fatalError() } set { fatalError() } }
    open var layer: CALayer? { get { fatalError() } set { fatalError() } }
    open func layout() { fatalError() }
}
