#if canImport(WebKit)
    import WebKit

    #if os(macOS)
        import AppKit

        /// Panels as sheets of the window.
        @MainActor
        enum WebPanelPresenter {
            static func show(_ panel: WebPanel?, of page: WebViewPage, over controller: WebPageViewController) {
                guard let window = controller.view.window else { return }
                // The page that asked has gone: its answer counts no more.
                if let alert = controller.shownAlert { window.endSheet(alert.window) }
                controller.shownAlert = nil
                guard let panel else { return }
                let alert = NSAlert()
                controller.shownAlert = alert
                alert.messageText = panel.title
                alert.informativeText = panel.message
                alert.addButton(withTitle: panel.acceptLabel)
                if let label = panel.cancelLabel { alert.addButton(withTitle: label) }
                let field = panel.defaultText.map { NSTextField(string: $0) }
                alert.accessoryView = field
                alert.showsSuppressionButton = panel.offersSilence
                alert.suppressionButton?.title = panel.silenceLabel
                alert.beginSheetModal(for: window) { [weak controller] response in
                    if controller?.shownAlert === alert { controller?.shownAlert = nil }
                    page.answer(
                        panel.id,
                        WebPanelAnswer(
                            response == .alertFirstButtonReturn ? .accept : .cancel, text: field?.stringValue ?? "",
                            silencesPage: panel.offersSilence && alert.suppressionButton?.state == .on))
                }
            }
        }
    #else
        import UIKit

        /// Panels as alerts.
        @MainActor
        enum WebPanelPresenter {
            static func show(_ panel: WebPanel?, of page: WebViewPage, over controller: UIViewController) {
                guard let panel else {
                    if controller.presentedViewController is UIAlertController { controller.dismiss(animated: true) }
                    return
                }
                let alert = UIAlertController(title: panel.title, message: panel.message, preferredStyle: .alert)
                if let text = panel.defaultText { alert.addTextField { $0.text = text } }
                func answer(_ choice: WebPanelAnswer.Choice, silencesPage: Bool = false) {
                    let text = alert.textFields?.first?.text ?? panel.defaultText ?? ""
                    page.answer(panel.id, WebPanelAnswer(choice, text: text, silencesPage: silencesPage))
                }
                alert.addAction(UIAlertAction(title: panel.acceptLabel, style: .default) { _ in answer(.accept) })
                if let label = panel.cancelLabel {
                    alert.addAction(UIAlertAction(title: label, style: .cancel) { _ in answer(.cancel) })
                }
                if panel.offersSilence {
                    alert.addAction(
                        UIAlertAction(title: panel.silenceLabel, style: .destructive) { _ in
                            answer(.cancel, silencesPage: true)
                        })
                }
                controller.present(alert, animated: true)
            }
        }
    #endif
#endif
