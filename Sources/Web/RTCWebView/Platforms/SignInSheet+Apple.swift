#if canImport(WebKit) && canImport(SwiftUI)
    #if os(macOS)
        import AppKit
        import CoreGraphics
        import OAuth

        /// A window of a sign-in: a sheet of the app's, with its bar over the page.
        @MainActor
        final class SignInSheet {
            private let container: Container
            private let place: NSTextField
            private let indicator = NSProgressIndicator(frame: .zero)
            private let title: String

            /// - Parameter onCancel: The person has enough of it.
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

            /// What a window of the page's is shown over.
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

            /// Takes it off the screen. Nothing happens the second time.
            func close() { container.presentingViewController?.dismiss(container) }

            /// Holds the bar and the page. What it does at the Escape key, the button does too.
            private final class Container: NSViewController {
                private let onCancel: @MainActor () -> Void

                init(_ onCancel: @escaping @MainActor () -> Void) {
                    self.onCancel = onCancel
                    super.init(nibName: nil, bundle: nil)
                }

                @available(*, unavailable)
                required init?(coder: NSCoder) { nil }

                override func cancelOperation(_ sender: Any?) { onCancel() }

                /// Also when the app takes it away. What presents it lets go of it only afterwards.
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

        /// A window of a sign-in: the page in a navigation controller of its own, over the app's.
        @MainActor
        final class SignInSheet: NSObject {
            private let navigation: Container
            private let page: WebPageViewController
            private let indicator = UIActivityIndicatorView(style: .medium)
            private let title: String
            private let onCancel: @MainActor () -> Void
            private var leaving: (any NSObjectProtocol)?

            /// - Parameter onCancel: The person has enough of it.
            init(_ page: WebPageViewController, title: String, onCancel: @escaping @MainActor () -> Void) {
                self.page = page
                self.title = title
                self.onCancel = onCancel
                navigation = Container(rootViewController: page)
                super.init()
                navigation.onGone = onCancel
                indicator.hidesWhenStopped = true
                page.navigationItem.title = title
                page.navigationItem.leftBarButtonItem = UIBarButtonItem(
                    systemItem: .cancel, primaryAction: UIAction { _ in onCancel() })
                page.navigationItem.rightBarButtonItem = UIBarButtonItem(customView: indicator)
            }

            /// What a window of the page's is shown over.
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
                // A sheet that is swept away was cancelled, too; so was one whose window was closed, as a person may on an iPad.
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

            /// Takes it off the screen. Nothing happens the second time.
            func close() {
                if let leaving { NotificationCenter.default.removeObserver(leaving) }
                leaving = nil
                navigation.presentingViewController?.dismiss(animated: true)
            }

            /// Says when it is gone, also where the app has taken it away: of that nothing else tells.
            private final class Container: UINavigationController {
                var onGone: (@MainActor () -> Void)?

                override func viewDidDisappear(_ animated: Bool) {
                    super.viewDidDisappear(animated)
                    let gone = SheetPresentation.Disappearance(
                        isBeingDismissed: isBeingDismissed, hasPresenter: presentingViewController != nil)
                    if gone.endsSignIn { onGone?() }
                }
            }
        }

        extension SignInSheet: UIAdaptivePresentationControllerDelegate {
            func presentationControllerDidDismiss(_ presentationController: UIPresentationController) { onCancel() }
        }
    #endif
#endif
