#if canImport(WebKit)
    import WebKit

    #if os(macOS)
        import AppKit

        /// Panels as sheets of the window.
        @MainActor
        enum WebPanelPresenter {
            /// - Returns: Whether there is a window for it.
            static func show(_ panel: WebPanel?, of page: WebViewPage, over controller: WebPageViewController) -> Bool {
                // The page that asked has gone, or asks about more: the answer to the old panel counts no more.
                if let alert = controller.shownAlert {
                    controller.shownAlert = nil
                    controller.view.window?.endSheet(alert.window)
                }
                guard let panel else { return true }
                guard let window = controller.view.window else { return false }
                let alert = NSAlert()
                controller.shownAlert = alert
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
                alert.beginSheetModal(for: window) { [weak controller, weak page] response in
                    // One that was taken away was not answered by anybody.
                    guard let controller, controller.shownAlert === alert else { return }
                    controller.shownAlert = nil
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

        /// Panels as alerts, over whatever the app shows at that moment.
        @MainActor
        enum WebPanelPresenter {
            /// - Returns: Whether there is a window for it.
            static func show(_ panel: WebPanel?, of page: WebViewPage, over controller: WebPageViewController) -> Bool {
                let old = controller.shownAlert
                controller.shownAlert = nil
                guard let panel else {
                    old?.presentingViewController?.dismiss(animated: true)
                    return true
                }
                guard controller.view.window != nil else {
                    old?.presentingViewController?.dismiss(animated: false)
                    return false
                }
                let alert = alert(panel, of: page, over: controller)
                controller.shownAlert = alert
                if let old, let presenter = old.presentingViewController, !old.isBeingDismissed {
                    presenter.dismiss(animated: false) { present(alert, panel, of: page, over: controller) }
                } else {
                    present(alert, panel, of: page, over: controller)
                }
                return true
            }

            private static func alert(
                _ panel: WebPanel, of page: WebViewPage, over controller: WebPageViewController
            ) -> UIAlertController {
                let alert = UIAlertController(title: panel.title, message: panel.message, preferredStyle: .alert)
                if let text = panel.defaultText { alert.addTextField { $0.text = text } }
                // The alert owns its actions: one that held it would keep it, the page and the controller for good.
                let answer: (WebPanelAnswer.Choice, Bool) -> Void = { [weak alert, weak controller, weak page] in
                    if let controller, controller.shownAlert === alert { controller.shownAlert = nil }
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
            private static func present(
                _ alert: UIAlertController, _ panel: WebPanel, of page: WebViewPage,
                over controller: WebPageViewController
            ) {
                // Another panel has taken its place meanwhile.
                guard controller.shownAlert === alert else { return }
                var top: UIViewController = controller
                while let next = top.presentedViewController, !next.isBeingDismissed { top = next }
                if let leaving = top.presentedViewController, let coordinator = leaving.transitionCoordinator {
                    coordinator.animate(alongsideTransition: nil) { _ in
                        present(alert, panel, of: page, over: controller)
                    }
                    return
                }
                top.present(alert, animated: true)
                // What cannot be presented is said in the system's log alone, and the page's script would wait for ever.
                if alert.presentingViewController == nil {
                    controller.shownAlert = nil
                    page.answer(panel.id, WebPanelAnswer(.dismiss))
                }
            }
        }
    #endif
#endif
