#if canImport(WebKit)
    import WebKit

    #if os(macOS)
        import AppKit

        /// Panels as sheets of the window that the web view is in.
        @MainActor
        final class WebPanelPresenter {
            private weak var view: WKWebView?
            /// The question that stands over the page.
            private var shownAlert: NSAlert?

            init(over view: WKWebView) { self.view = view }

            /// - Returns: Whether there is a window for it.
            func show(_ panel: WebPanel?, of page: WebViewPage) -> Bool {
                // The page that asked has gone, or asks about more: the answer to the old panel counts no more.
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
                    // What Return does at once is never to give something away.
                    accept.keyEquivalent = ""
                    cancel?.keyEquivalent = "\r"
                } else {
                    cancel?.keyEquivalent = "\u{1B}"
                }
                let field = panel.defaultText.map { NSTextField(string: $0) }
                alert.accessoryView = field
                alert.showsSuppressionButton = panel.offersSilence
                alert.suppressionButton?.title = panel.silenceLabel
                alert.beginSheetModal(for: window) { [weak self, weak page] response in
                    // One that was taken away was not answered by anybody.
                    guard let self, shownAlert === alert else { return }
                    shownAlert = nil
                    page?.pressed(
                        panel.id,
                        WebPanelAnswer(
                            response == .alertFirstButtonReturn ? .accept : .cancel, text: field?.stringValue ?? "",
                            silencesPage: panel.offersSilence && alert.suppressionButton?.state == .on))
                }
                return true
            }
        }
    #else
        import UIKit

        /// Panels as alerts of the view controller that the web view is in, over whatever the app shows at that moment.
        @MainActor
        final class WebPanelPresenter {
            private weak var view: WKWebView?
            /// The question that stands over the page.
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

            /// The nearest one around the view.
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
                // The alert owns its actions: one that held it would keep it and the page for good.
                let answer: (WebPanelAnswer.Choice, Bool) -> Void = { [weak alert, weak self, weak page] in
                    if let self, shownAlert === alert { shownAlert = nil }
                    let text = alert?.textFields?.first?.text ?? panel.defaultText ?? ""
                    page?.pressed(panel.id, WebPanelAnswer($0, text: text, silencesPage: $1))
                }
                alert.addAction(
                    UIAlertAction(title: panel.acceptLabel, style: .default) { _ in answer(.accept, false) })
                if let label = panel.cancelLabel {
                    alert.addAction(UIAlertAction(title: label, style: .cancel) { _ in answer(.cancel, false) })
                }
                if panel.offersSilence {
                    alert.addAction(
                        UIAlertAction(title: panel.silenceLabel, style: .destructive) { _ in
                            answer(.cancel, true)
                        })
                }
                return alert
            }

            /// Presents from whoever is on top; one that is on its way out is waited for.
            private func present(
                _ alert: UIAlertController, _ panel: WebPanel, of page: WebViewPage, over controller: UIViewController
            ) {
                // Another panel has taken its place meanwhile.
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
                // What cannot be presented is said in the system's log alone, and the page's script would wait for ever.
                if alert.presentingViewController == nil {
                    shownAlert = nil
                    page.answer(panel.id, WebPanelAnswer(.dismiss))
                }
            }
        }
    #endif
#endif
