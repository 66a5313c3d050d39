/// What all web views of an app have in common: the settings of the configuration that they share.
///
/// The names are those of WebKit's `WKWebViewConfiguration`. WebKit copies a configuration when it makes a view; the one that
/// holds these applies them anew to each copy.
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
}
