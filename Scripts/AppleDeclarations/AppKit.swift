public import CoreGraphics
@_exported public import Foundation
@_exported public import QuartzCore

open class NSColor: NSObject, @unchecked Sendable {
    open class var black: NSColor { fatalError() }
    open var cgColor: CGColor { fatalError() }
}

@MainActor open class NSView: NSObject {
    public init(frame frameRect: CGRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open var frame: CGRect { get { fatalError() } set { fatalError() } }
    open func addSubview(_ view: NSView) { fatalError() }
    open var bounds: CGRect { get { fatalError() } set { fatalError() } }
    open var wantsLayer: Bool { get { fatalError() } set { fatalError() } }
    open var layer: CALayer? { get { fatalError() } set { fatalError() } }
    open func layout() { fatalError() }
}
