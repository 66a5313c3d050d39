/// A panel over the page: a question of the page's, or one about it. There is one at a time.
public struct WebPanel: Sendable, Hashable, Identifiable {
    public enum Content: Sendable, Hashable {
        /// A dialog of the page's script; whether the person may say that it be the last.
        case dialog(ScriptDialog, offersSilence: Bool)
        /// May this origin use these devices?
        case capture(CapturePermissions.Question)
        /// A window that the page of this origin wanted is not shown; whether the person may say that this be the last such word.
        case refusedWindow(WebOrigin?, offersSilence: Bool)
    }

    public let id: Int
    public let content: Content

    /// Whose words these are, or whom it is about: shown above everything else, by the panel and not by the page.
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

    /// What the button or the box says that ends the page's dialogs, where ``offersSilence`` is `true`.
    public var silenceLabel: String { "Show no more dialogs of this page" }

    /// What the button says that agrees.
    public var acceptLabel: String {
        switch content {
        case .dialog(let dialog, _): dialog.kind == .beforeUnload ? "Leave" : "OK"
        case .capture: "Allow"
        case .refusedWindow: "OK"
        }
    }

    /// What the other button says; an alert and a word about a window have none.
    public var cancelLabel: String? {
        switch content {
        case .dialog(let dialog, _): dialog.kind == .alert ? nil : dialog.kind == .beforeUnload ? "Stay" : "Cancel"
        case .capture: "Don’t allow"
        case .refusedWindow: nil
        }
    }

    /// What stands in the text field at the beginning; nothing where there is none.
    public var defaultText: String? {
        if case .dialog(let dialog, _) = content, case .prompt(let text) = dialog.kind { return text }
        return nil
    }

    public var offersSilence: Bool {
        switch content {
        case .dialog(_, let offers), .refusedWindow(_, let offers): offers
        case .capture: false
        }
    }

    /// As many as a person reads.
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

/// What a person does with a panel.
public struct WebPanelAnswer: Sendable, Hashable {
    public enum Choice: Sendable, Hashable {
        case accept
        case cancel
        /// The panel was closed without a choice: another page came, or there is no window for it.
        case dismiss
    }

    public let choice: Choice
    /// What is in the text field.
    public let text: String
    /// No more dialogs of this page.
    public let silencesPage: Bool

    public init(_ choice: Choice, text: String = "", silencesPage: Bool = false) {
        self.choice = choice
        self.text = text
        self.silencesPage = silencesPage
    }
}
