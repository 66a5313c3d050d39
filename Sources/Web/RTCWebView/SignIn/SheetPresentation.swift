internal import OAuth

/// Whether a sheet can be shown over a view controller of the app's, and whether it is there afterwards.
///
/// What cannot be presented is said in the system's log alone: whoever signs in would wait for a window that never comes.
enum SheetPresentation {
    /// What is known of the view controller before.
    struct Place: Sendable, Hashable {
        var hasWindow: Bool
        /// Whether it shows another controller, or its window another sheet, that is not on its way out.
        var showsAnother: Bool
    }

    /// What is known of a sheet that is not seen any more.
    struct Disappearance: Sendable, Hashable {
        /// Whether it is on its way out; on a Mac, whether it is no window's sheet any more.
        var isBeingDismissed: Bool
        /// Whether a view controller of the app's still presents it.
        var hasPresenter: Bool

        /// Whether the sign-in is over with it, whoever took it away. Otherwise something lies over it, or the app is hidden.
        var endsSignIn: Bool { isBeingDismissed || !hasPresenter }
    }

    /// The app has none to name.
    static let noController = OAuthError(.notPresented, "there is no view controller to show the sign-in over")

    /// - Throws: ``OAuthError`` `notPresented`.
    static func check(_ place: Place) throws(OAuthError) {
        guard place.hasWindow else {
            throw OAuthError(
                .notPresented,
                "the view controller to show the sign-in over is in no window: wait until it has appeared")
        }
        guard !place.showsAnother else {
            throw OAuthError(
                .notPresented, "the view controller to show the sign-in over shows something else: name the one on top")
        }
    }

    /// - Parameter isPresented: Whether the sheet has a presenter once it was presented.
    /// - Throws: ``OAuthError`` `notPresented`.
    static func check(isPresented: Bool) throws(OAuthError) {
        guard isPresented else {
            throw OAuthError(.notPresented, "the system did not show the sign-in: is a transition under way?")
        }
    }
}
