public import RTCWire

/// Events may be printed and logged. URLs lose their query there, which may contain a code, a token or a name.
extension WebViewEvent: Confidential {
    public var description: String {
        switch self {
        case .load(let callback): "\(callback)"
        case .changed: "changed"
        case .appURL(let url): "address of the app's \(URLText.bare(url))"
        case .openedOutside(let url): "opened outside \(URLText.bare(url))"
        case .refusedNavigation(let url): "refused \(URLText.bare(url))"
        case .popup(let url): "wants a window for \(URLText.bare(url))"
        case .refusedWindow(let url): "refused a window for \(URLText.bare(url))"
        case .refusedDownload(let download): "refused the file \(download.suggestedName)"
        case .downloading(let download, let path): "downloading \(download.suggestedName) to \(path)"
        case .downloaded(let path): "downloaded \(path)"
        case .downloadFailed(let path, let reason): "download to \(path) failed: \(reason)"
        case .capture(let kind, let state): "\(kind.rawValue) \(state)"
        case .panel(let panel): panel.map { "panel \($0.title)" } ?? "no panel"
        case .processEnded(let isReloading): isReloading ? "process ended, reloading" : "process ended"
        case .refusedCapture(let kinds): "refused \(kinds.map(\.rawValue).joined(separator: " and "))"
        }
    }

}

extension LoadCallback: Confidential {
    public var description: String {
        switch self {
        case .started(let url): "started \(URLText.bare(url))"
        case .committed(let url): "committed \(URLText.bare(url))"
        case .finished(let url): "finished \(URLText.bare(url))"
        case .failedProvisionally(let url, let failure): "failed before \(URLText.bare(url)): \(failure)"
        case .failed(let url, let failure): "failed in \(URLText.bare(url)): \(failure)"
        }
    }

}

extension WebDownload: Confidential {
    public var description: String { "\(suggestedName) from \(URLText.bare(url))" }
}

/// URLs for logs.
private enum URLText {
    static func bare(_ url: String) -> String { String(url.prefix { $0 != "?" && $0 != "#" }.prefix(200)) }
}
