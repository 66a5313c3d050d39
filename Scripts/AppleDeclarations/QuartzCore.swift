public import CoreGraphics

open class CALayer {
    public init() { fatalError() }
    open var bounds: CGRect { get { fatalError() } set { fatalError() } }
    open var backgroundColor: CGColor? { get { fatalError() } set { fatalError() } }
    open var position: CGPoint { get { fatalError() } set { fatalError() } }
    open func addSublayer(_ layer: CALayer) { fatalError() }
    open func setAffineTransform(_ m: CGAffineTransform) { fatalError() }
}

public func CACurrentMediaTime() -> CFTimeInterval { fatalError() }

open class CATransaction {
    open class func begin() { fatalError() }
    open class func commit() { fatalError() }
    open class func setDisableActions(_ flag: Bool) { fatalError() }
}
