@_exported public import AppKit
public import CoreGraphics
@_exported public import Foundation
@_exported public import Security
@_exported public import UIKit

// Foundation's and Security's, of which nobody but the web view's adapter knows.

extension URLCredential {
    public enum Persistence: UInt, Sendable { case none, forSession, permanent, synchronizable }
    public convenience init(user: String, password: String, persistence: Persistence) { fatalError() }
    public convenience init(identity: SecIdentity, certificates certArray: [Any]?, persistence: Persistence) { fatalError() }
}
extension URLProtectionSpace {
    public var port: Int { fatalError() }
    public var realm: String? { fatalError() }
    public func isProxy() -> Bool { fatalError() }
}
extension URLAuthenticationChallenge {
    public var previousFailureCount: Int { fatalError() }
}
public let NSURLAuthenticationMethodHTTPBasic: String = ""
public let NSURLAuthenticationMethodHTTPDigest: String = ""
public let NSURLAuthenticationMethodClientCertificate: String = ""

// Declared as required, though most of WebKit's delegate methods are optional: a near-miss in a signature is then an error.

@MainActor open class WKProcessPool: NSObject {
    public override init() { fatalError() }
}

@MainActor open class WKWebsiteDataStore: NSObject {
    open class func `default`() -> WKWebsiteDataStore { fatalError() }
    open class func nonPersistent() -> WKWebsiteDataStore { fatalError() }
}

public struct WKAudiovisualMediaTypes: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { fatalError() }
    public static let all = WKAudiovisualMediaTypes(rawValue: .max)
}

#if os(iOS)
    public struct WKDataDetectorTypes: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let all = WKDataDetectorTypes(rawValue: .max)
    }
#endif

@MainActor open class WKWebViewConfiguration: NSObject {
    public override init() { fatalError() }
    open var processPool: WKProcessPool { get { fatalError() } set { fatalError() } }
    open var websiteDataStore: WKWebsiteDataStore { get { fatalError() } set { fatalError() } }
    open var userContentController: WKUserContentController { get { fatalError() } set { fatalError() } }
    open var suppressesIncrementalRendering: Bool { get { fatalError() } set { fatalError() } }
    open var mediaTypesRequiringUserActionForPlayback: WKAudiovisualMediaTypes { get { fatalError() } set { fatalError() } }
    open var limitsNavigationsToAppBoundDomains: Bool { get { fatalError() } set { fatalError() } }
    #if os(iOS)
        open var allowsInlineMediaPlayback: Bool { get { fatalError() } set { fatalError() } }
        open var dataDetectorTypes: WKDataDetectorTypes { get { fatalError() } set { fatalError() } }
    #endif
}

@MainActor open class WKContentWorld: NSObject {
    open class var page: WKContentWorld { fatalError() }
    open class func world(name: String) -> WKContentWorld { fatalError() }
}
public enum WKUserScriptInjectionTime: Int, Sendable { case atDocumentStart, atDocumentEnd }
@MainActor open class WKUserScript: NSObject {
    public init(
        source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool, in contentWorld: WKContentWorld
    ) { fatalError() }
}
@MainActor open class WKScriptMessage: NSObject {
    open var body: Any { fatalError() }
    open var frameInfo: WKFrameInfo { fatalError() }
}
@MainActor public protocol WKScriptMessageHandler: NSObjectProtocol {
    func userContentController(_ userContentController: WKUserContentController, didReceive message: WKScriptMessage)
}
@MainActor open class WKUserContentController: NSObject {
    public override init() { fatalError() }
    open func addUserScript(_ userScript: WKUserScript) { fatalError() }
    open func add(_ scriptMessageHandler: any WKScriptMessageHandler, contentWorld world: WKContentWorld, name: String) { fatalError() }
}
@MainActor open class WKWebpagePreferences: NSObject {}
@MainActor open class WKNavigation: NSObject {}
@MainActor open class WKWindowFeatures: NSObject {}

@MainActor open class WKSecurityOrigin: NSObject {
    open var `protocol`: String { fatalError() }
    open var host: String { fatalError() }
    open var port: Int { fatalError() }
}
@MainActor open class WKFrameInfo: NSObject {
    open var isMainFrame: Bool { fatalError() }
    open var request: URLRequest { fatalError() }
    open var securityOrigin: WKSecurityOrigin { fatalError() }
    open weak var webView: WKWebView? { fatalError() }
}

public enum WKNavigationType: Int, Sendable {
    case linkActivated, formSubmitted, backForward, reload, formResubmitted
    case other = -1
}
@MainActor open class WKNavigationAction: NSObject {
    open var sourceFrame: WKFrameInfo { fatalError() }
    open var targetFrame: WKFrameInfo? { fatalError() }
    open var navigationType: WKNavigationType { fatalError() }
    open var request: URLRequest { fatalError() }
    open var shouldPerformDownload: Bool { fatalError() }
}
@MainActor open class WKNavigationResponse: NSObject {
    open var isForMainFrame: Bool { fatalError() }
    open var response: URLResponse { fatalError() }
    open var canShowMIMEType: Bool { fatalError() }
}
public enum WKNavigationActionPolicy: Int, Sendable { case cancel, allow, download }
public enum WKNavigationResponsePolicy: Int, Sendable { case cancel, allow, download }
public enum WKPermissionDecision: Int, Sendable { case prompt, grant, deny }
public enum WKMediaCaptureType: Int, Sendable { case camera, microphone, cameraAndMicrophone }
public enum WKMediaCaptureState: Int, Sendable { case none, active, muted }

@MainActor open class WKDownload: NSObject {
    open var originalRequest: URLRequest? { fatalError() }
    open weak var delegate: (any WKDownloadDelegate)? { get { fatalError() } set { fatalError() } }
}
@MainActor public protocol WKDownloadDelegate: NSObjectProtocol {
    func download(
        _ download: WKDownload, decideDestinationUsing response: URLResponse, suggestedFilename: String,
        completionHandler: @escaping @MainActor @Sendable (URL?) -> Void)
}

@MainActor public protocol WKNavigationDelegate: NSObjectProtocol {
    func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction, preferences: WKWebpagePreferences,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy, WKWebpagePreferences) -> Void)
    func webView(
        _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationResponsePolicy) -> Void)
    func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!)
    func webView(_ webView: WKWebView, didReceiveServerRedirectForProvisionalNavigation navigation: WKNavigation!)
    func webView(_ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error)
    func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!)
    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!)
    func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error)
    func webView(
        _ webView: WKWebView, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @MainActor @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    func webViewWebContentProcessDidTerminate(_ webView: WKWebView)
    func webView(
        _ webView: WKWebView, authenticationChallenge challenge: URLAuthenticationChallenge,
        shouldAllowDeprecatedTLS decisionHandler: @escaping @MainActor @Sendable (Bool) -> Void)
    func webView(_ webView: WKWebView, navigationAction: WKNavigationAction, didBecome download: WKDownload)
    func webView(_ webView: WKWebView, navigationResponse: WKNavigationResponse, didBecome download: WKDownload)
}

@MainActor public protocol WKUIDelegate: NSObjectProtocol {
    func webView(
        _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
        for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures) -> WKWebView?
    func webView(
        _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String, initiatedByFrame frame: WKFrameInfo,
        completionHandler: @escaping @MainActor @Sendable () -> Void)
    func webView(
        _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String, initiatedByFrame frame: WKFrameInfo,
        completionHandler: @escaping @MainActor @Sendable (Bool) -> Void)
    func webView(
        _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
        initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable (String?) -> Void)
    func webView(
        _ webView: WKWebView, requestMediaCapturePermissionFor origin: WKSecurityOrigin,
        initiatedByFrame frame: WKFrameInfo, type: WKMediaCaptureType,
        decisionHandler: @escaping @MainActor @Sendable (WKPermissionDecision) -> Void)
}

#if os(macOS)
    public typealias WKBaseView = NSView
#else
    public typealias WKBaseView = UIView
#endif

@MainActor open class WKWebView: WKBaseView {
    public init(frame: CGRect, configuration: WKWebViewConfiguration) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open weak var navigationDelegate: (any WKNavigationDelegate)? { get { fatalError() } set { fatalError() } }
    open weak var uiDelegate: (any WKUIDelegate)? { get { fatalError() } set { fatalError() } }
    open var configuration: WKWebViewConfiguration { fatalError() }
    public func evaluateJavaScript(
        _ javaScript: String, in frame: WKFrameInfo? = nil, in contentWorld: WKContentWorld,
        completionHandler: (@MainActor @Sendable (Result<Any, any Error>) -> Void)? = nil
    ) { fatalError() }
    open var title: String? { fatalError() }
    open var url: URL? { fatalError() }
    open var isLoading: Bool { fatalError() }
    open var estimatedProgress: Double { fatalError() }
    open var canGoBack: Bool { fatalError() }
    open var canGoForward: Bool { fatalError() }
    open var cameraCaptureState: WKMediaCaptureState { fatalError() }
    open var microphoneCaptureState: WKMediaCaptureState { fatalError() }
    open func setCameraCaptureState(_ state: WKMediaCaptureState, completionHandler: (@MainActor @Sendable () -> Void)? = nil) { fatalError() }
    open func setMicrophoneCaptureState(_ state: WKMediaCaptureState, completionHandler: (@MainActor @Sendable () -> Void)? = nil) { fatalError() }
    @discardableResult open func load(_ request: URLRequest) -> WKNavigation? { fatalError() }
    @discardableResult open func loadSimulatedRequest(_ request: URLRequest, responseHTML string: String) -> WKNavigation { fatalError() }
    @discardableResult open func reload() -> WKNavigation? { fatalError() }
    @discardableResult open func goBack() -> WKNavigation? { fatalError() }
    @discardableResult open func goForward() -> WKNavigation? { fatalError() }
    open func stopLoading() { fatalError() }
    #if os(iOS)
        open var scrollView: UIScrollView { fatalError() }
    #endif
}
