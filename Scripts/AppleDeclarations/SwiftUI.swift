@_exported public import AppKit
public import CoreGraphics
@_exported public import UIKit

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Self.Body { get }
}
extension Never: View {
    public var body: Never { fatalError() }
}

@resultBuilder public struct ViewBuilder {
    public static func buildBlock() -> EmptyView { fatalError() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { fatalError() }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> { fatalError() }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { fatalError() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { fatalError() }
    public static func buildEither<First: View, Second: View>(first: First) -> _ConditionalContent<First, Second> { fatalError() }
    public static func buildEither<First: View, Second: View>(second: Second) -> _ConditionalContent<First, Second> { fatalError() }
}
public struct EmptyView: View { public typealias Body = Never }
public struct TupleView<T>: View { public typealias Body = Never }
public struct _ConditionalContent<First: View, Second: View>: View { public typealias Body = Never }
extension Optional: View where Wrapped: View { public typealias Body = Never }
extension View where Body == Never {
    public var body: Never { fatalError() }
}

// MARK: Views of UIKit and AppKit

@MainActor @preconcurrency public struct UIViewRepresentableContext<Representable: UIViewRepresentable> {}
@MainActor @preconcurrency public struct NSViewRepresentableContext<Representable: NSViewRepresentable> {}

@MainActor @preconcurrency public protocol UIViewRepresentable: View where Body == Never {
    associatedtype UIViewType: UIView
    associatedtype Coordinator = Void
    typealias Context = UIViewRepresentableContext<Self>
    func makeUIView(context: Context) -> UIViewType
    func updateUIView(_ uiView: UIViewType, context: Context)
    static func dismantleUIView(_ uiView: UIViewType, coordinator: Coordinator)
}
extension UIViewRepresentable {
    public static func dismantleUIView(_ uiView: UIViewType, coordinator: Coordinator) { fatalError() }
}

@MainActor @preconcurrency public protocol NSViewRepresentable: View where Body == Never {
    associatedtype NSViewType: NSView
    associatedtype Coordinator = Void
    typealias Context = NSViewRepresentableContext<Self>
    func makeNSView(context: Context) -> NSViewType
    func updateNSView(_ nsView: NSViewType, context: Context)
    static func dismantleNSView(_ nsView: NSViewType, coordinator: Coordinator)
}
extension NSViewRepresentable {
    public static func dismantleNSView(_ nsView: NSViewType, coordinator: Coordinator) { fatalError() }
}

@MainActor @preconcurrency public struct UIViewControllerRepresentableContext<Representable: UIViewControllerRepresentable> {}
@MainActor @preconcurrency public struct NSViewControllerRepresentableContext<Representable: NSViewControllerRepresentable> {}

@MainActor @preconcurrency public protocol UIViewControllerRepresentable: View where Body == Never {
    associatedtype UIViewControllerType: UIViewController
    typealias Context = UIViewControllerRepresentableContext<Self>
    func makeUIViewController(context: Context) -> UIViewControllerType
    func updateUIViewController(_ uiViewController: UIViewControllerType, context: Context)
}
@MainActor @preconcurrency public protocol NSViewControllerRepresentable: View where Body == Never {
    associatedtype NSViewControllerType: NSViewController
    typealias Context = NSViewControllerRepresentableContext<Self>
    func makeNSViewController(context: Context) -> NSViewControllerType
    func updateNSViewController(_ nsViewController: NSViewControllerType, context: Context)
}

// MARK: Apps

@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Self.Body { get }
}
extension Never: Scene {}
@resultBuilder public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { fatalError() }
    public static func buildExpression<Content: Scene>(_ content: Content) -> Content { fatalError() }
}
public struct WindowGroup<Content: View>: Scene {
    public typealias Body = Never
    @MainActor @preconcurrency public var body: Never { fatalError() }
    @MainActor @preconcurrency public init(@ViewBuilder content: () -> Content) { fatalError() }
}
@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Self.Body { get }
    @MainActor @preconcurrency init()
}
extension App {
    @MainActor @preconcurrency public static func main() { fatalError() }
}

// MARK: State

@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { fatalError() }
    public var wrappedValue: Value { get { fatalError() } nonmutating set { fatalError() } }
    public var projectedValue: Binding<Value> { fatalError() }
    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> { fatalError() }
}
@propertyWrapper public struct State<Value> {
    public init(wrappedValue value: Value) { fatalError() }
    public var wrappedValue: Value { get { fatalError() } nonmutating set { fatalError() } }
    public var projectedValue: Binding<Value> { fatalError() }
}
@propertyWrapper public struct AppStorage<Value> {
    public init(wrappedValue: Value, _ key: String) where Value == String { fatalError() }
    public var wrappedValue: Value { get { fatalError() } nonmutating set { fatalError() } }
    public var projectedValue: Binding<Value> { fatalError() }
}

// MARK: Views

public struct Text: View {
    public typealias Body = Never
    @_disfavoredOverload public init<S: StringProtocol>(_ content: S) { fatalError() }
    public init(_ key: LocalizedStringKey) { fatalError() }
}
public struct LocalizedStringKey: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { fatalError() }
}
public struct ButtonRole: Sendable {
    public static let destructive = ButtonRole()
}
public struct Button<Label: View>: View {
    public typealias Body = Never
}
extension Button where Label == Text {
    public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) { fatalError() }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) { fatalError() }
    public init(_ titleKey: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void) { fatalError() }
}
public struct TextField<Label: View>: View {
    public typealias Body = Never
}
extension TextField where Label == Text {
    public init(_ titleKey: LocalizedStringKey, text: Binding<String>) { fatalError() }
}
public struct ProgressView<Label: View>: View {
    public typealias Body = Never
}
extension ProgressView where Label == Text {
    public init(_ titleKey: LocalizedStringKey) { fatalError() }
}
public struct Spacer: View {
    public typealias Body = Never
    public init(minLength: CGFloat? = nil) { fatalError() }
}
public struct HorizontalAlignment: Sendable {
    public static let center = HorizontalAlignment()
}
public struct VerticalAlignment: Sendable {
    public static let center = VerticalAlignment()
}
public struct Alignment: Sendable {
    public static let center = Alignment()
}
public struct VStack<Content: View>: View {
    public typealias Body = Never
    public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) { fatalError() }
}
public struct HStack<Content: View>: View {
    public typealias Body = Never
    public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) { fatalError() }
}
public struct ZStack<Content: View>: View {
    public typealias Body = Never
    public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) { fatalError() }
}

// MARK: Modifiers

public struct Font: Hashable, Sendable {
    public static let largeTitle = Font()
    public static let title = Font()
    public static let headline = Font()
    public static let caption = Font()
}
public protocol ShapeStyle: Sendable {}
public struct Color: ShapeStyle, View, Hashable {
    public typealias Body = Never
    public static let black = Color()
    public static let white = Color()
    public static let red = Color()
}
extension ShapeStyle where Self == Color {
    public static var black: Color { fatalError() }
    public static var white: Color { fatalError() }
    public static var red: Color { fatalError() }
}
public struct Edge: Sendable {
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { fatalError() }
        public static let all = Set(rawValue: 15)
    }
}
public struct SafeAreaRegions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { fatalError() }
    public static let all = SafeAreaRegions(rawValue: .max)
}
@MainActor @preconcurrency public protocol PrimitiveButtonStyle {}
public struct BorderedButtonStyle: PrimitiveButtonStyle { public init() { fatalError() } }
public struct BorderedProminentButtonStyle: PrimitiveButtonStyle { public init() { fatalError() } }
extension PrimitiveButtonStyle where Self == BorderedButtonStyle {
    public static var bordered: BorderedButtonStyle { fatalError() }
}
extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle {
    public static var borderedProminent: BorderedProminentButtonStyle { fatalError() }
}
@MainActor @preconcurrency public protocol TextFieldStyle {}
public struct RoundedBorderTextFieldStyle: TextFieldStyle { public init() { fatalError() } }
extension TextFieldStyle where Self == RoundedBorderTextFieldStyle {
    public static var roundedBorder: RoundedBorderTextFieldStyle { fatalError() }
}

extension View {
    public func font(_ font: Font?) -> some View { self }
    public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { self }
    public func frame(width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center) -> some View { self }
    public func frame(
        minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
        idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View { self }
    public func background<S: ShapeStyle>(_ style: S, ignoresSafeAreaEdges edges: Edge.Set = .all) -> some View { self }
    public func cornerRadius(_ radius: CGFloat, antialiased: Bool = true) -> some View { self }
    public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { self }
    public func ignoresSafeArea(_ regions: SafeAreaRegions = .all, edges: Edge.Set = .all) -> some View { self }
    public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View { self }
    public func textFieldStyle<S: TextFieldStyle>(_ style: S) -> some View { self }
    public func disabled(_ disabled: Bool) -> some View { self }
    public func autocorrectionDisabled(_ disable: Bool = true) -> some View { self }
    public func onSubmit(_ action: @escaping () -> Void) -> some View { self }
    @_disfavoredOverload public func accessibilityLabel<S: StringProtocol>(_ label: S) -> some View { self }
}
