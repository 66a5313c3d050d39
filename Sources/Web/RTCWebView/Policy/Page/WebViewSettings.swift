/// The settings that all web views of an app share.
///
/// The names are those of WebKit's `WKWebViewConfiguration`. They are applied to each view when it is created.
public struct WebViewSettings: Sendable, Hashable {
    /// Whether a page is shown only when it is complete. WebKitGTK does not support it.
    public var suppressesIncrementalRendering = true
    /// Whether phone numbers, addresses and the like become links, on iPhone and iPad.
    public var detectsData = true
    /// Whether video is played inline instead of full screen, as calls need it.
    public var allowsInlineMediaPlayback = true
    /// Whether media wait for an action of the person. Calls cannot wait.
    public var requiresUserActionForMediaPlayback = false
    /// Whether pages are limited to the domains in the app's Info.plist. ``NavigationPolicy/appBoundOrigins`` does so
    /// on every platform.
    public var limitsNavigationsToAppBoundDomains = false

    public init() {}

    /// Applies each setting, once.
    @MainActor func apply(to target: some WebViewSettable) {
        target.setIncrementalRendering(isSuppressed: suppressesIncrementalRendering)
        target.setDataDetection(isOn: detectsData)
        target.setInlinePlayback(isAllowed: allowsInlineMediaPlayback)
        target.setUserAction(isRequired: requiresUserActionForMediaPlayback)
        target.setAppBoundDomains(areLimits: limitsNavigationsToAppBoundDomains)
    }
}

/// The settings of a platform's web view. A platform without a setting ignores it.
@MainActor
protocol WebViewSettable {
    func setIncrementalRendering(isSuppressed: Bool)
    func setDataDetection(isOn: Bool)
    func setInlinePlayback(isAllowed: Bool)
    /// For all kinds of media.
    func setUserAction(isRequired: Bool)
    func setAppBoundDomains(areLimits: Bool)
}
