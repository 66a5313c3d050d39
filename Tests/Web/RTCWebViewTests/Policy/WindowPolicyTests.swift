import OAuth
import RTCWire
import Testing

@testable import RTCWebView

@Suite("Windows that pages want")
struct WindowPolicyTests {
    @Test("A view that leaves them to the app opens none")
    func leftToTheApp() {
        let policy = WindowPolicy(most: nil)
        for navigation in [NavigationDecision.allow, .deny, .openOutside, .handToApp] {
            #expect(policy.decide(navigation, isUserGesture: true, open: 0) == .handToApp)
        }
    }

    @Test("In a sign-in they are shown, as many as a person keeps apart; what is no page goes where a link to it would")
    func shown() {
        let policy = WindowPolicy(most: 2)
        #expect(policy.decide(.allow, isUserGesture: false, open: 0) == .show)
        #expect(policy.decide(.allow, isUserGesture: true, open: 1) == .show)
        #expect(policy.decide(.allow, isUserGesture: true, open: 2) == .refuse)
        #expect(policy.decide(.deny, isUserGesture: true, open: 0) == .refuse)
        #expect(policy.decide(.handToApp, isUserGesture: false, open: 0) == .follow(.handToApp))
        #expect(policy.decide(.openOutside, isUserGesture: true, open: 0) == .follow(.openOutside))
        #expect(policy.decide(.openOutside, isUserGesture: false, open: 0) == .refuse)
    }
}

@MainActor
@Suite("Windows in a sign-in")
struct SignInWindowTests {
    private static let redirect = "com.example.app:/done"
    private static let start = "https://id.example.org/authorize?state=s3cret"
    private let engine = FakeEngine()

    private func page(_ engine: FakeEngine, _ change: (inout WebViewConfiguration) -> Void = { _ in }) -> WebViewPage {
        var configuration = WebViewConfiguration()
        change(&configuration)
        let page = WebViewPage(context: WebViewContext(devices: nil), configuration: configuration)
        page.engine = engine
        return page
    }

    @Test("One is shown, also without an address; what is one too many is refused, and the person and the app are told")
    func many() throws {
        let page = page(engine)
        var events: [WebViewEvent] = []
        page.onEvent = { events.append($0) }
        let watch = RedirectWatch(page, for: try RedirectURI(Self.redirect), from: Self.start)
        #expect(page.decideWindow("https://other.example/login", isUserGesture: true))
        #expect(page.decideWindow("", isUserGesture: false), "a script fills it afterwards")
        let engines = (0..<PageWindows.most).map { _ in FakeEngine() }
        let others = engines.map { self.page($0) }
        for other in others { watch.windows.opened(other) {} }
        #expect(engine.shown == nil)
        #expect(!page.decideWindow("https://other.example/login", isUserGesture: true))
        #expect(events.contains(.refusedWindow("https://other.example/login")))
        #expect(engine.shown?.title == "A window was not opened" && engine.shown?.cancelLabel == nil)
        #expect(!others[0].decideWindow("https://third.example/", isUserGesture: true), "a window's window counts too")
        watch.windows.closeAll()
        #expect(page.decideWindow("https://other.example/login", isUserGesture: true))
    }

    @Test("What the rules forbid is refused aloud, a few times, and then no panel holds anybody up")
    func forbidden() throws {
        let page = page(engine) { $0.dialogLimit = DialogFloodLimit(most: 3) }
        var refusals = 0
        page.onEvent = { if case .refusedWindow = $0 { refusals += 1 } }
        let watch = RedirectWatch(page, for: try RedirectURI(Self.redirect), from: Self.start)
        for _ in 0..<20 { #expect(!page.decideWindow("file:///etc/passwd", isUserGesture: true)) }
        #expect(refusals == 20, "the app hears of each")
        var panels = 0
        while let panel = engine.shown {
            panels += 1
            page.answer(panel.id, WebPanelAnswer(.accept))
        }
        #expect(panels == 3)
        watch.windows.closeAll()
    }

    @Test("The redirect ends the login in a window too, and where a link would open one for it")
    func redirects() async throws {
        let page = page(engine)
        let watch = RedirectWatch(page, for: try RedirectURI(Self.redirect), from: Self.start)
        let otherEngine = FakeEngine()
        let other = self.page(otherEngine)
        watch.windows.opened(other) {}
        #expect(!page.decideWindow("\(Self.redirect)?code=c&state=another", isUserGesture: true))
        let url = "\(Self.redirect)?code=c&state=s3cret"
        #expect(!other.decide(NavigationRequest(url: url)))
        #expect(try await watch.wait() == url)
        let second = RedirectWatch(page, for: try RedirectURI(Self.redirect), from: Self.start)
        #expect(!page.decideWindow(url, isUserGesture: false))
        #expect(try await second.wait() == url)
    }

    @Test("A window that is closed, by its script or a person, is closed once; the login goes on")
    func closed() throws {
        let page = page(engine)
        let watch = RedirectWatch(page, for: try RedirectURI(Self.redirect), from: Self.start)
        let engines = (FakeEngine(), FakeEngine())
        let (first, second) = (self.page(engines.0), self.page(engines.1))
        var closed: [String] = []
        watch.windows.opened(first) { closed.append("first") }
        watch.windows.opened(second) { closed.append("second") }
        first.onClose?()
        first.onClose?()
        #expect(closed == ["first"] && watch.windows.count == 1)
        watch.windows.closeAll()
        #expect(closed == ["first", "second"])
    }

    @Test("In any other view the app is told, and a redirect is nobody's")
    func otherViews() {
        let page = page(engine)
        var events: [WebViewEvent] = []
        page.onEvent = { events.append($0) }
        #expect(!page.decideWindow("https://other.example/", isUserGesture: true))
        #expect(events == [.popup("https://other.example/")] && engine.shown == nil)
    }

    @Test("A sign-in that cannot be shown fails at once, and says what to do")
    func presentation() {
        typealias Place = SheetPresentation.Place
        #expect(code { try SheetPresentation.check(Place(hasWindow: true, showsAnother: false)) } == nil)
        #expect(code { try SheetPresentation.check(Place(hasWindow: false, showsAnother: false)) } == .notPresented)
        #expect(code { try SheetPresentation.check(Place(hasWindow: true, showsAnother: true)) } == .notPresented)
        #expect(code { try SheetPresentation.check(isPresented: true) } == nil)
        #expect(code { try SheetPresentation.check(isPresented: false) } == .notPresented)
        #expect(SheetPresentation.noController.code == .notPresented)
    }

    /// UIKit calls `presentationControllerDidDismiss` for what a person sweeps away alone
    /// (developer.apple.com/documentation/uikit/uiadaptivepresentationcontrollerdelegate/presentationcontrollerdiddismiss(_:)), and
    /// `viewDidDisappear` also for what something else covers.
    @Test("A sheet that the app takes away ends the sign-in; one that something covers does not")
    func disappears() async throws {
        typealias Disappearance = SheetPresentation.Disappearance
        #expect(Disappearance(isBeingDismissed: true, hasPresenter: true).endsSignIn)
        #expect(Disappearance(isBeingDismissed: false, hasPresenter: false).endsSignIn)
        #expect(!Disappearance(isBeingDismissed: false, hasPresenter: true).endsSignIn)
        // What is said again, as by the sheet of a login that has ended, changes nothing.
        let watch = RedirectWatch(page(engine), for: try RedirectURI(Self.redirect), from: Self.start)
        watch.end(.success("\(Self.redirect)?code=c"))
        watch.cancelledByPerson()
        #expect(try await watch.wait() == "\(Self.redirect)?code=c")
    }
}

/// The code of the error that `body` throws; `nil` if it throws none.
private func code(_ body: () throws -> Void) -> OAuthError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? OAuthError)?.code
    }
}
