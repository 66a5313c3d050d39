@_exported public import Foundation

public struct PKPushType: Hashable, Sendable, RawRepresentable {
    public var rawValue: String
    public init(rawValue: String) { fatalError() }
    #if !os(macOS)
        public static let voIP = PKPushType(rawValue: "")
    #endif
}
open class PKPushCredentials: NSObject {
    open var type: PKPushType { fatalError() }
    open var token: Data { fatalError() }
}
open class PKPushPayload: NSObject {
    open var type: PKPushType { fatalError() }
    open var dictionaryPayload: [AnyHashable: Any] { fatalError() }
}
// The last two are optional in the SDK. They are required here, or a misspelt one would pass.
public protocol PKPushRegistryDelegate: NSObjectProtocol {
    func pushRegistry(_ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType)
    func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping () -> Void)
    func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType)
}
open class PKPushRegistry: NSObject {
    public init(queue: DispatchQueue?) { fatalError() }
    open weak var delegate: (any PKPushRegistryDelegate)?
    open var desiredPushTypes: Set<PKPushType>? { get { fatalError() } set { fatalError() } }
    open func pushToken(for type: PKPushType) -> Data? { fatalError() }
}
