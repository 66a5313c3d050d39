/// An event of a web view. Cases may be added: give a `switch` a `default`.
public enum WebViewEvent: Sendable, Hashable {
    case load(LoadCallback)
    /// The title, URL, progress, history or capture state changed: read the page's properties.
    case changed
    /// A URL with a scheme of the app, or one that a rule hands to it. See ``AppURLs``.
    case appURL(String)
    /// A URL that was opened in another app.
    case openedOutside(String)
    /// A navigation to this URL, which the rules forbid.
    case refusedNavigation(String)
    /// A page wants to open this URL in a new window. The view opens none; the app may.
    case popup(String)
    /// A page of a sign-in wanted to open a window, which the rules forbid, or there are too many. The person was told.
    case refusedWindow(String)
    /// A file was offered, and refused because there is no download destination.
    case refusedDownload(WebDownload)
    case downloading(WebDownload, path: String)
    /// A download is complete, as far as the platform reports: WebKitGTK takes a connection that ends early for the end
    /// of the file.
    case downloaded(path: String)
    /// A download failed or was cancelled. A part of the file may exist.
    case downloadFailed(path: String, reason: String)
    /// The capture state of camera or microphone changed.
    case capture(CaptureKind, CaptureState)
    /// A question to the person is shown; `nil` if none is shown any more.
    case panel(WebPanel?)
    /// The web content process ended. `isReloading` says whether the page is loaded again.
    case processEnded(isReloading: Bool)
    /// A page was not loaded, because the app has no permission for these devices.
    case refusedCapture([CaptureKind])
}

extension WebViewEvent {
    /// The event with shortened URLs, since pages may cause many events with long URLs, which wait for their reader.
    var bounded: WebViewEvent {
        switch self {
        case .refusedNavigation(let url): .refusedNavigation(Self.cut(url))
        case .openedOutside(let url): .openedOutside(Self.cut(url))
        case .refusedWindow(let url): .refusedWindow(Self.cut(url))
        case .refusedDownload(let file):
            .refusedDownload(WebDownload(url: Self.cut(file.url), suggestedName: file.suggestedName))
        default: self
        }
    }

    static let longestAddress = 2_048

    private static func cut(_ url: String) -> String {
        url.utf8.count <= longestAddress ? url : String(decoding: url.utf8.prefix(longestAddress - 3), as: UTF8.self)
    }
}
