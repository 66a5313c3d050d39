public import AppKit
public import UIKit

@MainActor @preconcurrency public protocol View {}

@MainActor @preconcurrency public struct UIViewRepresentableContext<Representable: UIViewRepresentable> {}
@MainActor @preconcurrency public struct NSViewRepresentableContext<Representable: NSViewRepresentable> {}

@MainActor @preconcurrency public protocol UIViewRepresentable: View {
    associatedtype UIViewType: UIView
    typealias Context = UIViewRepresentableContext<Self>
    func makeUIView(context: Context) -> UIViewType
    func updateUIView(_ uiView: UIViewType, context: Context)
}

@MainActor @preconcurrency public protocol NSViewRepresentable: View {
    associatedtype NSViewType: NSView
    typealias Context = NSViewRepresentableContext<Self>
    func makeNSView(context: Context) -> NSViewType
    func updateNSView(_ nsView: NSViewType, context: Context)
}
