/// What happens in a web view, for the app. Cases may be added: give a `switch` a `default`.
public enum WebViewEvent: Sendable, Hashable {
    case load(LoadCallback)
    /// Title, address, progress, back and forward, or what is captured: look at the page.
    case changed
    /// An address of the app's own scheme, or one that a rule hands over. See ``AppURLs``.
    case appURL(String)
    /// An address that was opened outside, by whatever the system has for it.
    case openedOutside(String)
    /// A navigation that the rules forbid.
    case refusedNavigation(String)
    /// A page wants a window of its own. It gets none from the view; the app may open one.
    case popup(String)
    /// A page of a sign-in wanted a window, and got none: the rules forbid its address, or there are too many. The person was told.
    case refusedWindow(String)
    /// A file was offered, and refused, as no destination was given.
    case refusedDownload(WebDownload)
    case downloading(WebDownload, path: String)
    /// The file is there, as far as the platform tells: WebKitGTK takes a connection that ends early for the end of the file.
    case downloaded(path: String)
    /// The connection or the disk failed, or the download was cancelled. Part of the file may be there.
    case downloadFailed(path: String, reason: String)
    /// What camera and microphone do for pages of this view.
    case capture(CaptureKind, CaptureState)
    /// The person was asked, or is no longer.
    case panel(WebPanel?)
    /// The process that showed the page ended, and the page is being loaded again, or not.
    case processEnded(isReloading: Bool)
    /// The page was not loaded, since the system refuses these devices.
    case refusedCapture([CaptureKind])
}

extension WebViewEvent {
    /// With addresses that a page chooses cut to what anybody reads: events may wait for their reader, and a page may send many.
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
