/// Built-in pages that are shown in place of a page. They run no script and load nothing.
enum ErrorPage {
    /// A page that could not be loaded.
    static func failure(_ failure: LoadFailure, url: String) -> String {
        let host = WebOrigin(url)?.displayHost ?? url
        return page(
            title: failure.title, about: host, paragraphs: [failure.advice], detail: failure.detail,
            button: failure.code == .notAllowed ? nil : ("Try again", url))
    }

    /// A page that is not loaded because the app may not use camera or microphone.
    static func refusal(_ refused: [CaptureAuthorization.RefusedCapture], url: String, place: SettingsPlace) -> String {
        let names = refused.map { $0.kind == .camera ? "camera" : "microphone" }
        let what = names.joined(separator: " and ")
        let faults = refused.compactMap(\.fault)
        if !faults.isEmpty {
            return page(
                title: "This app cannot use the \(what)", about: WebOrigin(url)?.displayHost ?? url,
                paragraphs: [
                    "This page needs the \(what), and this app is not set up to ask for \(names.count > 1 ? "them" : "it").",
                    "That is a fault of the app, for its developer to mend. There is nothing to switch on in the settings.",
                ],
                detail: faults.joined(separator: "; "), button: nil)
        }
        var paragraphs = [
            "This page needs the \(what), and this app has no permission to use \(names.count > 1 ? "them" : "it")."
        ]
        paragraphs.append(
            refused.contains(where: \.isRestricted)
                ? "An administrator, or a limit set for this device, forbids it. You cannot change that here."
                : place.advice(for: names))
        return page(
            title: "No permission for the \(what)", about: WebOrigin(url)?.displayHost ?? url, paragraphs: paragraphs,
            detail: "", button: ("Try again", url))
    }

    private static func page(
        title: String, about: String, paragraphs: [String], detail: String, button: (label: String, url: String)?
    ) -> String {
        """
        <!doctype html><html lang="en"><head><meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width, initial-scale=1"><title>\(escaped(title))</title><style>
        :root { color-scheme: light dark; --text: #1d1f24; --dim: #5c616b; --back: #f6f6f8; --line: #d9dbe0; --button: #1a5fb4 }
        @media (prefers-color-scheme: dark) { :root { --text: #f2f3f5; --dim: #a6abb5; --back: #1c1e22; --line: #3a3d44;
          --button: #3f86de } }
        body { margin: 0; min-height: 100vh; display: flex; align-items: center; justify-content: center;
          background: var(--back); color: var(--text); font: 17px/1.5 system-ui, sans-serif }
        main { max-width: 32em; padding: 32px 24px } h1 { font-size: 1.5em; line-height: 1.25; margin: 0 0 .4em }
        .about { color: var(--dim); margin: 0 0 1.2em; overflow-wrap: anywhere }
        .detail { color: var(--dim); font-size: .82em; border-top: 1px solid var(--line); padding-top: 1em;
          overflow-wrap: anywhere }
        a { display: inline-block; margin: .6em 0 1.4em; padding: .55em 1.4em; border-radius: 10px; background: var(--button);
          color: #fff; text-decoration: none; font-weight: 600 }
        a:focus-visible { outline: 3px solid var(--text); outline-offset: 2px }
        </style></head><body><main role="alert"><h1>\(escaped(title))</h1><p class="about">\(escaped(about))</p>
        \(paragraphs.map { "<p>\(escaped($0))</p>" }.joined(separator: "\n"))
        \(button.map { "<a href=\"\(escaped($0.url))\">\(escaped($0.label))</a>" } ?? "")
        \(detail.isEmpty ? "" : "<p class=\"detail\">\(escaped(detail))</p>")
        </main></body></html>
        """
    }

    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.prefix(4_000).unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}

/// Where the person can change the setting.
enum SettingsPlace: Sendable, Hashable {
    case iOS, macOS, linux

    func advice(for names: [String]) -> String {
        let what = names.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " and ")
        return switch self {
        case .iOS: "To change that, open Settings, choose this app, and switch on \(what). Then try again."
        case .macOS:
            "To change that, open System Settings, Privacy & Security, \(what), and switch on this app. Then try again."
        case .linux:
            "To change that, open your desktop’s settings, Privacy, \(what), and allow this app. Then try again."
        }
    }
}
