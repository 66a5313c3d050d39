/// The window that the system's sign-in is shown over, where the app names none.
enum FrontWindow {
    /// An app's scene, as on an iPad with several windows: the person uses one of them at a time.
    struct Scene<Window> {
        var isActive: Bool
        var keyWindow: Window?
    }

    /// The window of the scene that is in use; of another one where none is, such as while the system's own question lies over the app.
    static func choose<Window>(_ scenes: [Scene<Window>]) -> Window? {
        let shown = scenes.filter { $0.keyWindow != nil }
        return (shown.first(where: \.isActive) ?? shown.first)?.keyWindow
    }
}
