#if canImport(WebKit)
    import WebKit

    #if os(macOS)
        import AppKit

        /// Shows panels as sheets of the web view's window.
        @MainActor
        final class WebPanelPresenter {
            private weak var view: WKWebView?
            /// The alert that is shown.
            private var shownAlert: NSAlert?

            init(over view: WKWebView) { self.view = view }

            /// - Returns: Whether there is a window for it.
            func show(_ panel: WebPanel?, of page: WebViewPage) -> Bool {
                // The question was dismissed or extended: an answer to its old panel does not count.
                if let alert = shownAlert {
                    shownAlert = nil
                    view?.window?.endSheet(alert.window)
                }
                guard let panel else { return true }
                guard let window = view?.window else { return false }
                let alert = NSAlert()
                shownAlert = alert
                alert.messageText = panel.title
                alert.informativeText = panel.message
                let accept = alert.addButton(withTitle: panel.acceptLabel)
                let cancel = panel.cancelLabel.map { alert.addButton(withTitle: $0) }
                if case .capture = panel.content {
                    // The Return key must not grant anything by accident.
                    accept.keyEquivalent = ""
                    cancel?.keyEquivalent = "\r"
                } else {
                    cancel?.keyEquivalent = "\u{1B}"
                }
                let field = panel.defaultText.map { NSTextField(string: $0) }
                alert.accessoryView = field
                alert.showsSuppressionButton = panel.canSuppressDialogs
                alert.suppressionButton?.title = panel.suppressDialogsLabel
                alert.beginSheetModal(for: window) { [weak self, weak page] response in
                    // An alert that was removed has no answer.
                    guard let self, shownAlert === alert else { return }
                    shownAlert = nil
                    page?.pressed(
                        panel.id,
                        WebPanelAnswer(
                            response == .alertFirstButtonReturn ? .accept : .cancel, text: field?.stringValue ?? "",
                            suppressesDialogs: panel.canSuppressDialogs && alert.suppressionButton?.state == .on))
                }
                return true
            }
        }
    #else
        import UIKit

        /// Shows panels as alerts of the web view's view controller, over whatever the app shows.
        @MainActor
        final class WebPanelPresenter {
            private weak var view: WKWebView?
            /// The alert that is shown.
            private var shownAlert: UIAlertController?

            init(over view: WKWebView) { self.view = view }

            /// - Returns: Whether there is a window for it.
            func show(_ panel: WebPanel?, of page: WebViewPage) -> Bool {
                let old = shownAlert
                shownAlert = nil
                guard let panel else {
                    old?.presentingViewController?.dismiss(animated: true)
                    return true
                }
                guard view?.window != nil, let controller else {
                    old?.presentingViewController?.dismiss(animated: false)
                    return false
                }
                let alert = alert(panel, of: page)
                shownAlert = alert
                if let old, let presenter = old.presentingViewController, !old.isBeingDismissed {
                    presenter.dismiss(animated: false) { [self] in
                        present(alert, panel, of: page, over: controller)
                    }
                } else {
                    present(alert, panel, of: page, over: controller)
                }
                return true
            }

            /// The nearest view controller around the view.
            private var controller: UIViewController? {
                var responder: UIResponder? = view
                while let next = responder?.next {
                    if let controller = next as? UIViewController { return controller }
                    responder = next
                }
                return nil
            }

            private func alert(_ panel: WebPanel, of page: WebViewPage) -> UIAlertController {
                let alert = UIAlertController(title: panel.title, message: panel.message, preferredStyle: .alert)
                if let text = panel.defaultText { alert.addTextField { $0.text = text } }
                // The alert retains its actions: a strong reference in one would retain alert and page forever.
                let answer: (WebPanelAnswer.Choice, Bool) -> Void = { [weak alert, weak self, weak page] in
                    if let self, shownAlert === alert { shownAlert = nil }
                    let text = alert?.textFields?.first?.text ?? panel.defaultText ?? ""
                    page?.pressed(panel.id, WebPanelAnswer($0, text: text, suppressesDialogs: $1))
                }
                alert.addAction(
                    UIAlertAction(title: panel.acceptLabel, style: .default) { _ in answer(.accept, false) })
                if let label = panel.cancelLabel {
                    alert.addAction(UIAlertAction(title: label, style: .cancel) { _ in answer(.cancel, false) })
                }
                if panel.canSuppressDialogs {
                    alert.addAction(
                        UIAlertAction(title: panel.suppressDialogsLabel, style: .destructive) { _ in
                            answer(.cancel, true)
                        })
                }
                return alert
            }

            /// Presents from the topmost controller, after one that is being dismissed is gone.
            private func present(
                _ alert: UIAlertController, _ panel: WebPanel, of page: WebViewPage, over controller: UIViewController
            ) {
                // Another panel was shown meanwhile.
                guard shownAlert === alert else { return }
                var top = controller
                while let next = top.presentedViewController, !next.isBeingDismissed { top = next }
                if let leaving = top.presentedViewController, let coordinator = leaving.transitionCoordinator {
                    coordinator.animate(alongsideTransition: nil) { [self] _ in
                        present(alert, panel, of: page, over: controller)
                    }
                    return
                }
                top.present(alert, animated: true)
                // A failed presentation is reported in the system's log only, and the page's script would wait forever.
                if alert.presentingViewController == nil {
                    shownAlert = nil
                    page.answer(panel.id, WebPanelAnswer(.dismiss))
                }
            }
        }
    #endif
#endif
