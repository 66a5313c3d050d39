public class DispatchObject {}
public final class DispatchQueue: DispatchObject, @unchecked Sendable {
    public init(label: String) { fatalError() }
    public class var main: DispatchQueue { fatalError() }
    public func async(execute work: @escaping @Sendable @convention(block) () -> Void) { fatalError() }
    public func sync<T>(execute work: () throws -> T) rethrows -> T { fatalError() }
}
