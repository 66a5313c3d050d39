public import CoreGraphics
@_exported public import Foundation
@_exported public import QuartzCore

open class NSColor: NSObject, @unchecked Sendable {
    open class var black: NSColor { fatalError() }
    open var cgColor: CGColor { fatalError() }
}

@MainActor open class NSView: NSResponder {
    public init(frame frameRect: CGRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open var frame: CGRect { get { fatalError() } set { fatalError() } }
    open func addSubview(_ view: NSView) { fatalError() }
    open var bounds: CGRect { get { fatalError() } set { fatalError() } }
    open var wantsLayer: Bool { get { fatalError() } set { fatalError() } }
    open var layer: CALayer? { get { fatalError() } set { fatalError() } }
    open func layout() { fatalError() }
    open func removeFromSuperview() { fatalError() }
    open var translatesAutoresizingMaskIntoConstraints: Bool { get { fatalError() } set { fatalError() } }
    open var window: NSWindow? { fatalError() }
    open var safeAreaLayoutGuide: NSLayoutGuide { fatalError() }
    open var leadingAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var trailingAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var topAnchor: NSLayoutYAxisAnchor { fatalError() }
    open var bottomAnchor: NSLayoutYAxisAnchor { fatalError() }
    open var centerXAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var centerYAnchor: NSLayoutYAxisAnchor { fatalError() }
}

// MARK: Layout

@MainActor open class NSLayoutAnchor<AnchorType: AnyObject>: NSObject {
    open func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>) -> NSLayoutConstraint { fatalError() }
    open func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>, constant c: CGFloat) -> NSLayoutConstraint { fatalError() }
}
@MainActor open class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {}
@MainActor open class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {}
@MainActor open class NSLayoutConstraint: NSObject {
    open class func activate(_ constraints: [NSLayoutConstraint]) { fatalError() }
}
@MainActor open class NSLayoutGuide: NSObject {
    open var leadingAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var trailingAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var topAnchor: NSLayoutYAxisAnchor { fatalError() }
    open var bottomAnchor: NSLayoutYAxisAnchor { fatalError() }
}

// MARK: Controllers and panels

@MainActor open class NSResponder: NSObject {
    open func cancelOperation(_ sender: Any?) { fatalError() }
}
@MainActor open class NSViewController: NSResponder {
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open var view: NSView { get { fatalError() } set { fatalError() } }
    open var presentingViewController: NSViewController? { fatalError() }
    open func addChild(_ childViewController: NSViewController) { fatalError() }
    open func presentAsSheet(_ viewController: NSViewController) { fatalError() }
    open func dismiss(_ viewController: NSViewController) { fatalError() }
    open func loadView() { fatalError() }
    open func viewDidLoad() { fatalError() }
    open func viewDidAppear() { fatalError() }
}
@MainActor open class NSControl: NSView {
    public struct StateValue: Hashable, Sendable {
        public static let on = StateValue()
        public static let off = StateValue()
    }
    open var stringValue: String { get { fatalError() } set { fatalError() } }
}
@MainActor open class NSTextField: NSControl {
    public convenience init(string: String) { fatalError() }
    public convenience init(labelWithString stringValue: String) { fatalError() }
}
@MainActor open class NSButton: NSControl {
    public convenience init(title: String, target: Any?, action: Selector?) { fatalError() }
    open var title: String { get { fatalError() } set { fatalError() } }
    open var keyEquivalent: String { get { fatalError() } set { fatalError() } }
    open var state: NSControl.StateValue { get { fatalError() } set { fatalError() } }
}
@MainActor open class NSProgressIndicator: NSView {
    public enum Style: UInt, Sendable { case bar, spinning }
    open var style: Style { get { fatalError() } set { fatalError() } }
    open var isDisplayedWhenStopped: Bool { get { fatalError() } set { fatalError() } }
    open func startAnimation(_ sender: Any?) { fatalError() }
    open func stopAnimation(_ sender: Any?) { fatalError() }
}
@MainActor open class NSApplication: NSObject {
    public struct ModalResponse: Hashable, Sendable {
        public static let alertFirstButtonReturn = ModalResponse()
    }
}
@MainActor open class NSAlert: NSObject {
    public override init() { fatalError() }
    open var messageText: String { get { fatalError() } set { fatalError() } }
    open var informativeText: String { get { fatalError() } set { fatalError() } }
    open var window: NSWindow { fatalError() }
    open var accessoryView: NSView? { get { fatalError() } set { fatalError() } }
    open var showsSuppressionButton: Bool { get { fatalError() } set { fatalError() } }
    open var suppressionButton: NSButton? { fatalError() }
    @discardableResult open func addButton(withTitle title: String) -> NSButton { fatalError() }
    open func beginSheetModal(for sheetWindow: NSWindow, completionHandler handler: ((NSApplication.ModalResponse) -> Void)? = nil) { fatalError() }
}
@MainActor open class NSWorkspace: NSObject {
    open class var shared: NSWorkspace { fatalError() }
    @discardableResult open func open(_ url: URL) -> Bool { fatalError() }
    open func urlForApplication(toOpen url: URL) -> URL? { fatalError() }
}

@MainActor open class NSWindow: NSResponder {
    public override init() { fatalError() }
    open func endSheet(_ sheetWindow: NSWindow) { fatalError() }
}
