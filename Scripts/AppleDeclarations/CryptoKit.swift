public struct SHA256Digest: Sequence, Sendable {
    public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
}
public struct SHA256: Sendable {
    public static func hash<D: Sequence>(data: D) -> SHA256Digest where D.Element == UInt8 { fatalError() }
}
