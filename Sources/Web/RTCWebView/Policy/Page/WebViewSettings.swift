/// What all web views of an app have in common: the settings of the configuration that they share.
///
/// The names are those of WebKit's `WKWebViewConfiguration`. WebKit copies a configuration when it makes a view; they are applied
/// anew to each.
public struct WebViewSettings: Sendable, Hashable {
    /// Whether a page is shown only when it is complete. WebKitGTK has no such setting.
    public var suppressesIncrementalRendering = true
    /// Whether telephone numbers, addresses and the like become links, on iPhone and iPad.
    public var detectsData = true
    /// Whether films play in the page instead of over the whole screen. Pictures of a call want this.
    public var allowsInlineMediaPlayback = true
    /// Whether sound and films wait for a person's touch. Those of a call cannot.
    public var requiresUserActionForMediaPlayback = false
    /// Whether the app's Info.plist names the only domains that pages may be of; see ``NavigationPolicy/appBoundOrigins``,
    /// which does it on every platform.
    public var limitsNavigationsToAppBoundDomains = false

    public init() {}

    /// Sets each of them, once.
    @MainActor func apply(to target: some WebViewSettable) {
        target.setIncrementalRendering(isSuppressed: suppressesIncrementalRendering)
        target.setDataDetection(isOn: detectsData)
        target.setInlinePlayback(isAllowed: allowsInlineMediaPlayback)
        target.setUserAction(isRequired: requiresUserActionForMediaPlayback)
        target.setAppBoundDomains(areLimits: limitsNavigationsToAppBoundDomains)
    }
}

/// What a platform's configuration of a web view can be told. One that has no such setting does nothing.
@MainActor
protocol WebViewSettable {
    func setIncrementalRendering(isSuppressed: Bool)
    func setDataDetection(isOn: Bool)
    func setInlinePlayback(isAllowed: Bool)
    /// Of all media.
    func setUserAction(isRequired: Bool)
    func setAppBoundDomains(areLimits: Bool)
}
