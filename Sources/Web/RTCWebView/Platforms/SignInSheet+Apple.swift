#if canImport(WebKit) && canImport(SwiftUI)
    #if os(macOS)
        import AppKit
        import CoreGraphics
        import OAuth

        /// A window of a sign-in: a sheet of the app, with a bar above the page.
        @MainActor
        final class SignInSheet {
            private let container: Container
            private let place: NSTextField
            private let indicator = NSProgressIndicator(frame: .zero)
            private let title: String

            /// - Parameter onCancel: Called when the person presses Cancel.
            init(_ page: WebPageViewController, title: String, onCancel: @escaping @MainActor () -> Void) {
                self.title = title
                place = NSTextField(labelWithString: title)
                container = Container(onCancel)
                let cancel = NSButton(
                    title: "Cancel", target: container, action: #selector(NSResponder.cancelOperation(_:)))
                indicator.style = .spinning
                indicator.isDisplayedWhenStopped = false
                let view = NSView(frame: CGRect(x: 0, y: 0, width: 560, height: 720))
                container.view = view
                container.addChild(page)
                for part in [cancel, place, indicator, page.view] {
                    part.translatesAutoresizingMaskIntoConstraints = false
                    view.addSubview(part)
                }
                NSLayoutConstraint.activate([
                    cancel.topAnchor.constraint(equalTo: view.topAnchor, constant: 8),
                    cancel.leadingAnchor.constraint(equalTo: view.leadingAnchor, constant: 8),
                    place.centerXAnchor.constraint(equalTo: view.centerXAnchor),
                    place.centerYAnchor.constraint(equalTo: cancel.centerYAnchor),
                    indicator.trailingAnchor.constraint(equalTo: view.trailingAnchor, constant: -8),
                    indicator.centerYAnchor.constraint(equalTo: cancel.centerYAnchor),
                    page.view.topAnchor.constraint(equalTo: cancel.bottomAnchor, constant: 8),
                    page.view.leadingAnchor.constraint(equalTo: view.leadingAnchor),
                    page.view.trailingAnchor.constraint(equalTo: view.trailingAnchor),
                    page.view.bottomAnchor.constraint(equalTo: view.bottomAnchor),
                ])
            }

            /// The controller over which a window of the page is shown.
            var controller: NSViewController { container }

            /// - Throws: ``OAuthError`` `notPresented`.
            func present(over controller: NSViewController) throws(OAuthError) {
                let window = controller.view.window
                try SheetPresentation.check(
                    .init(hasWindow: window != nil, showsAnother: window?.attachedSheet != nil))
                controller.presentAsSheet(container)
                try SheetPresentation.check(isPresented: container.presentingViewController != nil)
            }

            func show(_ bar: SignInBar) {
                place.stringValue = bar.place ?? title
                if bar.isLoading { indicator.startAnimation(nil) } else { indicator.stopAnimation(nil) }
            }

            /// Closes the sheet. Closing it again has no effect.
            func close() { container.presentingViewController?.dismiss(container) }

            /// Contains the bar and the page. The Escape key works like the Cancel button.
            private final class Container: NSViewController {
                private let onCancel: @MainActor () -> Void

                init(_ onCancel: @escaping @MainActor () -> Void) {
                    self.onCancel = onCancel
                    super.init(nibName: nil, bundle: nil)
                }

                @available(*, unavailable)
                required init?(coder: NSCoder) { nil }

                override func cancelOperation(_ sender: Any?) { onCancel() }

                /// Also called when the app dismisses the sheet. Its presenter releases it only afterwards.
                override func viewDidDisappear() {
                    super.viewDidDisappear()
                    Task { [self] in
                        let gone = SheetPresentation.Disappearance(
                            isBeingDismissed: view.window?.sheetParent == nil,
                            hasPresenter: presentingViewController != nil)
                        if gone.endsSignIn { onCancel() }
                    }
                }
            }
        }
    #else
        import Foundation
        import OAuth
        import UIKit

        /// A window of a sign-in: the page in its own navigation controller, over the app's.
        @MainActor
        final class SignInSheet: NSObject {
            private let navigation: Container
            private let page: WebPageViewController
            private let indicator = UIActivityIndicatorView(style: .medium)
            private let title: String
            private let onCancel: @MainActor () -> Void
            private var leaving: (any NSObjectProtocol)?

            /// - Parameter onCancel: Called when the person presses Cancel.
            init(_ page: WebPageViewController, title: String, onCancel: @escaping @MainActor () -> Void) {
                self.page = page
                self.title = title
                self.onCancel = onCancel
                navigation = Container(rootViewController: page)
                super.init()
                navigation.onDisappear = onCancel
                indicator.hidesWhenStopped = true
                page.navigationItem.title = title
                page.navigationItem.leftBarButtonItem = UIBarButtonItem(
                    systemItem: .cancel, primaryAction: UIAction { _ in onCancel() })
                page.navigationItem.rightBarButtonItem = UIBarButtonItem(customView: indicator)
            }

            /// The controller over which a window of the page is shown.
            var controller: UIViewController { navigation }

            /// - Throws: ``OAuthError`` `notPresented`.
            func present(over controller: UIViewController) throws(OAuthError) {
                let other = controller.presentedViewController
                try SheetPresentation.check(
                    .init(
                        hasWindow: controller.viewIfLoaded?.window != nil,
                        showsAnother: other.map { !$0.isBeingDismissed } ?? false))
                controller.present(navigation, animated: true)
                try SheetPresentation.check(isPresented: navigation.presentingViewController != nil)
                // Swiping the sheet away cancels, and so does closing its window on an iPad.
                navigation.presentationController?.delegate = self
                guard let scene = controller.view.window?.windowScene else { return }
                leaving = NotificationCenter.default.addObserver(
                    forName: UIScene.didDisconnectNotification, object: scene, queue: .main
                ) { @Sendable [weak self] _ in
                    MainActor.assumeIsolated { self?.onCancel() }
                }
            }

            func show(_ bar: SignInBar) {
                page.navigationItem.title = bar.place ?? title
                if bar.isLoading { indicator.startAnimating() } else { indicator.stopAnimating() }
            }

            /// Closes the sheet. Closing it again has no effect.
            func close() {
                if let leaving { NotificationCenter.default.removeObserver(leaving) }
                leaving = nil
                navigation.presentingViewController?.dismiss(animated: true)
            }

            /// Reports that it disappeared, also if the app has dismissed it, which nothing else reports.
            private final class Container: UINavigationController {
                var onDisappear: (@MainActor () -> Void)?

                override func viewDidDisappear(_ animated: Bool) {
                    super.viewDidDisappear(animated)
                    let gone = SheetPresentation.Disappearance(
                        isBeingDismissed: isBeingDismissed, hasPresenter: presentingViewController != nil)
                    if gone.endsSignIn { onDisappear?() }
                }
            }
        }

        extension SignInSheet: UIAdaptivePresentationControllerDelegate {
            func presentationControllerDidDismiss(_ presentationController: UIPresentationController) { onCancel() }
        }
    #endif
#endif
