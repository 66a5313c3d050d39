internal import OAuth

/// Checks whether a sheet can be presented over a view controller, and whether it is presented afterwards.
///
/// A failed presentation is reported in the system's log only: the sign-in would wait for a window that never appears.
enum SheetPresentation {
    /// The state of the view controller before.
    struct Place: Sendable, Hashable {
        var hasWindow: Bool
        /// Whether it presents another controller, or its window another sheet, that is not being dismissed.
        var showsAnother: Bool
    }

    /// The state of a sheet that has disappeared.
    struct Disappearance: Sendable, Hashable {
        /// Whether it is being dismissed; on a Mac, whether no window presents it any more.
        var isBeingDismissed: Bool
        /// Whether a view controller still presents it.
        var hasPresenter: Bool

        /// Whether the sign-in ends with it, whoever has dismissed it. Otherwise something covers it, or the app is hidden.
        var endsSignIn: Bool { isBeingDismissed || !hasPresenter }
    }

    /// There is no view controller to present from.
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

    /// - Parameter isPresented: Whether the sheet has a presenter after the presentation.
    /// - Throws: ``OAuthError`` `notPresented`.
    static func check(isPresented: Bool) throws(OAuthError) {
        guard isPresented else {
            throw OAuthError(.notPresented, "the system did not show the sign-in: is a transition under way?")
        }
    }
}
