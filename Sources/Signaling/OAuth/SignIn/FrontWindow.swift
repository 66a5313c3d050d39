/// Chooses the window over which the system's sign-in is shown, if the app passes none.
enum FrontWindow {
    /// A scene of the app, as on an iPad with several windows, of which the person uses one at a time.
    struct Scene<Window> {
        var isActive: Bool
        var keyWindow: Window?
    }

    /// The window of the active scene; of another one if none is active, for example while a question of the system covers the
    /// app.
    static func choose<Window>(_ scenes: [Scene<Window>]) -> Window? {
        let shown = scenes.filter { $0.keyWindow != nil }
        return (shown.first(where: \.isActive) ?? shown.first)?.keyWindow
    }
}
