public import CoreGraphics
@_exported public import Foundation
@_exported public import QuartzCore

open class UIColor: NSObject, @unchecked Sendable {
    open class var black: UIColor { fatalError() }
    open class var systemBackground: UIColor { fatalError() }
}

@MainActor open class UIView: NSObject {
    open var window: UIWindow? { fatalError() }
    public init(frame: CGRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open var frame: CGRect { get { fatalError() } set { fatalError() } }
    open var backgroundColor: UIColor? { get { fatalError() } set { fatalError() } }
    open var isOpaque: Bool { get { fatalError() } set { fatalError() } }
    open func addSubview(_ view: UIView) { fatalError() }
    open var bounds: CGRect { get { fatalError() } set { fatalError() } }
    open var layer: CALayer { fatalError() }
    open func layoutSubviews() { fatalError() }
    open func removeFromSuperview() { fatalError() }
    open var translatesAutoresizingMaskIntoConstraints: Bool { get { fatalError() } set { fatalError() } }
    open var safeAreaLayoutGuide: UILayoutGuide { fatalError() }
    open var leadingAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var trailingAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var topAnchor: NSLayoutYAxisAnchor { fatalError() }
    open var bottomAnchor: NSLayoutYAxisAnchor { fatalError() }
}

// MARK: Layout

@MainActor open class NSLayoutAnchor<AnchorType: AnyObject>: NSObject {
    open func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>) -> NSLayoutConstraint { fatalError() }
}
@MainActor open class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {}
@MainActor open class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {}
@MainActor open class NSLayoutConstraint: NSObject {
    open class func activate(_ constraints: [NSLayoutConstraint]) { fatalError() }
}
@MainActor open class UILayoutGuide: NSObject {
    open var leadingAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var trailingAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var topAnchor: NSLayoutYAxisAnchor { fatalError() }
    open var bottomAnchor: NSLayoutYAxisAnchor { fatalError() }
}
public struct UIRectEdge: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { fatalError() }
}

// MARK: Controllers

@MainActor open class UIScrollView: UIView {
    open var bounces: Bool { get { fatalError() } set { fatalError() } }
}
@MainActor open class UIViewController: NSObject {
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open var view: UIView! { get { fatalError() } set { fatalError() } }
    open var navigationController: UINavigationController? { fatalError() }
    open var navigationItem: UINavigationItem { fatalError() }
    open var presentedViewController: UIViewController? { fatalError() }
    open var presentingViewController: UIViewController? { fatalError() }
    open var isBeingDismissed: Bool { fatalError() }
    open var transitionCoordinator: (any UIViewControllerTransitionCoordinator)? { fatalError() }
    open var presentationController: UIPresentationController? { fatalError() }
    open var edgesForExtendedLayout: UIRectEdge { get { fatalError() } set { fatalError() } }
    open func viewDidLoad() { fatalError() }
    open func viewDidAppear(_ animated: Bool) { fatalError() }
    open func present(_ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil) { fatalError() }
    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) { fatalError() }
}
@MainActor public protocol UIViewControllerTransitionCoordinatorContext: NSObjectProtocol {}
@MainActor public protocol UIViewControllerTransitionCoordinator: UIViewControllerTransitionCoordinatorContext {
    @discardableResult func animate(
        alongsideTransition animation: ((any UIViewControllerTransitionCoordinatorContext) -> Void)?,
        completion: ((any UIViewControllerTransitionCoordinatorContext) -> Void)?
    ) -> Bool
}
@MainActor public protocol UIAdaptivePresentationControllerDelegate: NSObjectProtocol {
    func presentationControllerDidDismiss(_ presentationController: UIPresentationController)
}
@MainActor open class UIPresentationController: NSObject {
    weak open var delegate: (any UIAdaptivePresentationControllerDelegate)? { get { fatalError() } set { fatalError() } }
}
@MainActor open class UINavigationController: UIViewController {
    public init(rootViewController: UIViewController) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
}
@MainActor open class UINavigationItem: NSObject {
    open var title: String? { get { fatalError() } set { fatalError() } }
    open var leftBarButtonItem: UIBarButtonItem? { get { fatalError() } set { fatalError() } }
    open var rightBarButtonItem: UIBarButtonItem? { get { fatalError() } set { fatalError() } }
}
@MainActor open class UIAction: NSObject {
    public convenience init(title: String = "", handler: @escaping @MainActor (UIAction) -> Void) { fatalError() }
}
@MainActor open class UIBarButtonItem: NSObject {
    public enum SystemItem: Int, Sendable { case done, cancel }
    public convenience init(systemItem: SystemItem, primaryAction: UIAction? = nil) { fatalError() }
    public convenience init(customView: UIView) { fatalError() }
}
@MainActor open class UIActivityIndicatorView: UIView {
    public enum Style: Int, Sendable { case medium = 100, large = 101 }
    public init(style: Style) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open var hidesWhenStopped: Bool { get { fatalError() } set { fatalError() } }
    open func startAnimating() { fatalError() }
    open func stopAnimating() { fatalError() }
}
@MainActor open class UITextField: UIView {
    open var text: String? { get { fatalError() } set { fatalError() } }
}
@MainActor open class UIAlertAction: NSObject {
    public enum Style: Int, Sendable { case `default`, cancel, destructive }
    public convenience init(title: String?, style: Style, handler: (@MainActor (UIAlertAction) -> Void)? = nil) { fatalError() }
}
@MainActor open class UIAlertController: UIViewController {
    public enum Style: Int, Sendable { case actionSheet, alert }
    public convenience init(title: String?, message: String?, preferredStyle: Style) { fatalError() }
    open func addAction(_ action: UIAlertAction) { fatalError() }
    open func addTextField(configurationHandler: (@MainActor (UITextField) -> Void)? = nil) { fatalError() }
    open var textFields: [UITextField]? { fatalError() }
}
@MainActor open class UIApplication: NSObject {
    public struct OpenExternalURLOptionsKey: Hashable, Sendable, RawRepresentable {
        public let rawValue: String
        public init(rawValue: String) { fatalError() }
    }
    open class var shared: UIApplication { fatalError() }
    open func canOpenURL(_ url: URL) -> Bool { fatalError() }
    open func open(
        _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) { fatalError() }
}

@MainActor open class UIWindow: UIView {
    public init() { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
}
