import RTCWebView
import RTCWire

/// One line of `duet web --verbose`. URLs lose their query, which may contain a code or a token.
enum WebEventLine {
    /// - Returns: `nil` for events that are not relevant to a person.
    static func of(_ event: WebViewEvent) -> String? {
        switch event {
        case .load(.started(let url)): "loading \(bare(url))"
        case .load(.finished(let url)): "shown \(bare(url))"
        case .load(.failedProvisionally(let url, let failure)), .load(.failed(let url, let failure)):
            "failed \(bare(url)): \(failure)"
        case .openedOutside(let url): "opened outside: \(bare(url))"
        case .refusedNavigation(let url): "refused \(bare(url))"
        case .popup(let url), .refusedWindow(let url): "refused a window for \(bare(url))"
        case .refusedDownload(let download): "refused the file \(download.suggestedName)"
        case .capture(let kind, let state): "\(kind.rawValue) \(state)"
        case .panel(let panel?): "asks: \(panel.title)"
        case .processEnded(let isReloading): isReloading ? "the page ended and is loaded again" : "the page ended"
        case .refusedCapture(let kinds): "no permission for \(kinds.map(\.rawValue).joined(separator: " and "))"
        default: nil
        }
    }

    /// A page's title, which is untrusted text: control characters are removed.
    static func title(_ text: String) -> String {
        "title \(PrintableText.removing(text, limit: 300))"
    }

    private static func bare(_ url: String) -> String { String(url.prefix { $0 != "?" && $0 != "#" }.prefix(200)) }
}
