import RTCWire
import Testing

@testable import RTCWebView

@MainActor
@Suite("What every web view of an app is set to, and how its pages are loaded")
struct WebViewSettingsTests {
    /// A configuration that writes down what it is told, by the names that WebKit has.
    /// https://developer.apple.com/documentation/webkit/wkwebviewconfiguration
    private final class FakeConfiguration: WebViewSettable {
        var told: [String: Bool] = [:]

        func setIncrementalRendering(isSuppressed: Bool) { told["suppressesIncrementalRendering"] = isSuppressed }
        func setDataDetection(isOn: Bool) { told["dataDetectorTypes"] = isOn }
        func setInlinePlayback(isAllowed: Bool) { told["allowsInlineMediaPlayback"] = isAllowed }
        func setUserAction(isRequired: Bool) { told["mediaTypesRequiringUserActionForPlayback"] = isRequired }
        func setAppBoundDomains(areLimits: Bool) { told["limitsNavigationsToAppBoundDomains"] = areLimits }
    }

    /// Where an app shows questions.
    @MainActor
    private final class FakeRoom {
        var isThere = true
        var shown: [String?] = []

        func show(_ panel: WebPanel?) -> Bool {
            shown.append(panel?.title)
            return isThere
        }
    }

    @Test("By default media play in the page and by themselves, and a page is shown when it is complete")
    func defaults() {
        let configuration = FakeConfiguration()
        WebViewSettings().apply(to: configuration)
        #expect(
            configuration.told == [
                "suppressesIncrementalRendering": true, "dataDetectorTypes": true, "allowsInlineMediaPlayback": true,
                "mediaTypesRequiringUserActionForPlayback": false, "limitsNavigationsToAppBoundDomains": false,
            ])
    }

    @Test("Each setting is told as the app has it")
    func changed() {
        var settings = WebViewSettings()
        settings.suppressesIncrementalRendering = false
        settings.detectsData = false
        settings.allowsInlineMediaPlayback = false
        settings.requiresUserActionForMediaPlayback = true
        settings.limitsNavigationsToAppBoundDomains = true
        let configuration = FakeConfiguration()
        settings.apply(to: configuration)
        #expect(
            configuration.told == [
                "suppressesIncrementalRendering": false, "dataDetectorTypes": false, "allowsInlineMediaPlayback": false,
                "mediaTypesRequiringUserActionForPlayback": true, "limitsNavigationsToAppBoundDomains": true,
            ])
    }

    @Test(
        "A page is asked for with its cache revalidated, and a quarter of a minute's patience, unless the app has another"
    )
    func request() {
        let usual = PageRequest("https://a.example/", WebViewConfiguration())
        #expect(usual.cachePolicy == .revalidate && usual.timeout == 15 && usual.url == "https://a.example/")
        var configuration = WebViewConfiguration()
        configuration.timeout = 4
        #expect(PageRequest("https://a.example/", configuration).timeout == 4)
    }

    @Test("The sign of loading turns from the wish for a page until it is there, or has failed")
    func loadingSign() {
        let engine = FakeEngine()
        let page = WebViewPage(context: WebViewContext(devices: nil))
        page.engine = engine
        var bar: [SignInBar] = []
        page.onEvent = { _ in bar.append(SignInBar(page)) }
        func isLoading() -> Bool { SignInBar(page).isLoading }
        #expect(!isLoading())
        page.load("https://a.example/")
        #expect(isLoading(), "before the server has said anything")
        page.started("https://a.example/")
        #expect(bar.last == SignInBar(place: nil, isLoading: true))
        page.committed("https://a.example/")
        #expect(bar.last == SignInBar(place: "https://a.example", isLoading: true))
        page.finished()
        #expect(bar.last == SignInBar(place: "https://a.example", isLoading: false))
        page.load("https://b.example/")
        page.started("https://b.example/")
        #expect(isLoading())
        page.failed(LoadFailure(.cannotConnect), url: "https://b.example/")
        #expect(!isLoading())
    }

    @Test("An app shows the questions itself, and what it cannot show is dismissed")
    func ownPanels() throws {
        let engine = FakeEngine()
        let page = WebViewPage(context: WebViewContext(devices: nil))
        page.engine = engine
        let room = FakeRoom()
        page.panelPresenter = room.show
        let origin = try #require(WebOrigin("https://a.example"))
        var answers: [Bool] = []
        page.decide(PageCaptureRequest(page: origin, kinds: [.camera])) { answers.append($0) }
        #expect(room.shown == ["a.example wants to use your camera"] && engine.shown == nil)
        page.answer(try #require(page.panel).id, WebPanelAnswer(.accept))
        #expect(answers == [true] && room.shown.count == 2 && room.shown[1] == nil)
        room.isThere = false
        page.decide(PageCaptureRequest(page: origin, kinds: [.microphone])) { answers.append($0) }
        #expect(answers == [true, false] && page.panel == nil)
    }
}
