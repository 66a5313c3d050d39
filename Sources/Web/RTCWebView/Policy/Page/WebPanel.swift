/// A question to the person over the page. One is shown at a time.
public struct WebPanel: Sendable, Hashable, Identifiable {
    public enum Content: Sendable, Hashable {
        /// A dialog of the page's script. `canSuppressDialogs`: whether the person can suppress further ones.
        case dialog(ScriptDialog, canSuppressDialogs: Bool)
        /// The request of an origin to use capture devices.
        case capture(CapturePermissions.Question)
        /// A notice that a new window of this origin was blocked. `canSuppressDialogs`: whether the person can suppress
        /// further ones.
        case refusedWindow(WebOrigin?, canSuppressDialogs: Bool)
    }

    public let id: Int
    public let content: Content

    /// The origin to show at the top of the panel, outside of the page's text.
    public var origin: String {
        switch content {
        case .dialog(let dialog, _): dialog.origin?.displayHost ?? "This page"
        case .capture(let question): question.origin.displayHost
        case .refusedWindow(let origin, _): origin?.displayHost ?? "This page"
        }
    }

    public var title: String {
        switch content {
        case .dialog(let dialog, _):
            switch dialog.kind {
            case .alert, .confirm, .prompt: "\(origin) says"
            case .beforeUnload: "Leave this page?"
            }
        case .capture: "\(origin) wants to use your \(what)"
        case .refusedWindow: "A window was not opened"
        }
    }

    public var message: String {
        switch content {
        case .dialog(let dialog, _):
            dialog.kind == .beforeUnload ? "\(origin) may lose what you entered." : dialog.message
        case .capture(let question):
            if !question.frames.isEmpty {
                "So may parts of the page that are from \(Self.list(question.frames)). Your answer is remembered for all of them."
            } else if question.origin == question.page {
                "Your answer is remembered for this page, until you change it."
            } else {
                "It is a part of a page of \(question.page.displayHost). Your answer is remembered for it there."
            }
        case .refusedWindow: "\(origin) wanted to open another window, which cannot be shown here."
        }
    }

    /// The label of the button or box that suppresses further dialogs, where ``canSuppressDialogs`` is `true`.
    public var suppressDialogsLabel: String { "Show no more dialogs of this page" }

    /// The label of the button that accepts.
    public var acceptLabel: String {
        switch content {
        case .dialog(let dialog, _): dialog.kind == .beforeUnload ? "Leave" : "OK"
        case .capture: "Allow"
        case .refusedWindow: "OK"
        }
    }

    /// The label of the button that cancels; `nil` for an alert and a notice.
    public var cancelLabel: String? {
        switch content {
        case .dialog(let dialog, _): dialog.kind == .alert ? nil : dialog.kind == .beforeUnload ? "Stay" : "Cancel"
        case .capture: "Don’t allow"
        case .refusedWindow: nil
        }
    }

    /// The initial text of the text field; `nil` if there is none.
    public var defaultText: String? {
        if case .dialog(let dialog, _) = content, case .prompt(let text) = dialog.kind { return text }
        return nil
    }

    public var canSuppressDialogs: Bool {
        switch content {
        case .dialog(_, let offers), .refusedWindow(_, let offers): offers
        case .capture: false
        }
    }

    /// The list of origins, shortened to what a person reads.
    private static func list(_ origins: Set<WebOrigin>) -> String {
        let names = origins.map(\.displayHost).sorted()
        return names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " and \(names.count - 3) more" : "")
    }

    private var what: String {
        guard case .capture(let question) = content else { return "" }
        let names = CaptureKind.allCases.filter(question.kinds.contains).map {
            switch $0 {
            case .microphone: "microphone"
            case .camera: "camera"
            case .display: "screen"
            }
        }
        return names.joined(separator: " and ")
    }
}

/// The answer of the person to a panel.
public struct WebPanelAnswer: Sendable, Hashable {
    public enum Choice: Sendable, Hashable {
        case accept
        case cancel
        /// The panel was closed without an answer: another page was loaded, or there is no window for it.
        case dismiss
    }

    package let choice: Choice
    /// The text of the text field.
    package let text: String
    /// Whether to suppress further dialogs of this page.
    package let suppressesDialogs: Bool

    public init(_ choice: Choice, text: String = "", suppressesDialogs: Bool = false) {
        self.choice = choice
        self.text = text
        self.suppressesDialogs = suppressesDialogs
    }
}
