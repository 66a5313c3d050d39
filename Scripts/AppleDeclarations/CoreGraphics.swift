@_exported public import CoreFoundation

/// A type of its own in the SDK, to which the compiler converts by itself.
public typealias CGFloat = Double

public struct CGPoint: Sendable {
    public init(x: CGFloat, y: CGFloat) { fatalError() }
}

public struct CGSize: Sendable {
    public var width: CGFloat
    public var height: CGFloat
}

public struct CGRect: Sendable {
    public static var zero: CGRect { fatalError() }
    public init(x: CGFloat, y: CGFloat, width: CGFloat, height: CGFloat) { fatalError() }
    public var width: CGFloat { fatalError() }
    public var height: CGFloat { fatalError() }
}

public struct CGAffineTransform: Sendable {
    public static var identity: CGAffineTransform { fatalError() }
    public init(a: CGFloat, b: CGFloat, c: CGFloat, d: CGFloat, tx: CGFloat, ty: CGFloat) { fatalError() }
    public init(rotationAngle angle: CGFloat) { fatalError() }
    public init(scaleX sx: CGFloat, y sy: CGFloat) { fatalError() }
    public func concatenating(_ t2: CGAffineTransform) -> CGAffineTransform { fatalError() }
}

public final class CGColor: Sendable {}
public final class CGImage {}
