@_exported public import Foundation
#if os(macOS)
public import AppKit
public typealias ASPresentationAnchor = NSWindow
#else
public import UIKit
public typealias ASPresentationAnchor = UIWindow
#endif

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

public struct ASWebAuthenticationSessionError: Error {
    public enum Code: Int, Sendable {
        case canceledLogin = 1
        case presentationContextNotProvided = 2
        case presentationContextInvalid = 3
    }
    public var code: Code { fatalError() }
}

@MainActor open class ASWebAuthenticationSession: NSObject {
    public struct Callback: Sendable {
        public static func customScheme(_ customScheme: String) -> Callback { fatalError() }
        public static func https(host: String, path: String) -> Callback { fatalError() }
    }
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void
    public init(url URL: URL, callback: Callback, completionHandler: @escaping CompletionHandler) { fatalError() }
    open weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    open var prefersEphemeralWebBrowserSession: Bool { get { fatalError() } set { fatalError() } }
    open func start() -> Bool { fatalError() }
    open func cancel() { fatalError() }
}
