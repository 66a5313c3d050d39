import RTCWire
import Testing

@testable import RTCWebView

/// A web view with the rules of a real one, and nothing to look at.
@MainActor
final class FakeEngine: WebEngine {
    var calls: [String] = []
    var shown: WebPanel?
    var now = Instant.zero
    var deadline: Instant?
    var settingsPlace: SettingsPlace { .iOS }

    func load(_ url: String) { calls.append("load \(url)") }
    func show(html: String, insteadOf url: String) { calls.append("show \(url)") }
    func reload() { calls.append("reload") }
    func stop() { calls.append("stop") }
    func goBack() { calls.append("back") }
    func goForward() { calls.append("forward") }
    func setCapture(_ kind: CaptureKind, _ state: CaptureState) { calls.append("capture \(kind) \(state)") }
    func canOpen(outside url: String) -> Bool { url.hasPrefix("tel:") }
    func open(outside url: String) { calls.append("open \(url)") }
    func show(_ panel: WebPanel?) { shown = panel }
    func addScript(_ source: String, world: String?) { calls.append("script in \(world ?? "page")") }
    func listen(to handler: String, world: String) { calls.append("listen \(handler) in \(world)") }
    func evaluate(_ script: String, world: String) { calls.append("evaluate \(script)") }
    func wake(at deadline: Instant?) { self.deadline = deadline }
}

/// A system that answers as it is told, and counts.
final class FakeDevices: DeviceAuthorizing, @unchecked Sendable {
    var answers: [CaptureKind: CaptureAuthorizationStatus]
    var status: [CaptureKind: CaptureAuthorizationStatus] = [:]
    var asked: [CaptureKind] = []

    init(_ answers: [CaptureKind: CaptureAuthorizationStatus]) { self.answers = answers }

    func authorization(for kind: CaptureKind) -> CaptureAuthorizationStatus { status[kind] ?? .notDetermined }

    func requestAuthorization(for kind: CaptureKind) async -> CaptureAuthorizationStatus {
        asked.append(kind)
        status[kind] = answers[kind] ?? .denied
        return status[kind] ?? .denied
    }
}

@MainActor
@Suite("A page in a view")
struct WebViewPageTests {
    private let engine = FakeEngine()

    private func page(
        _ devices: FakeDevices? = nil, rules: CapturePermissions.Rules = .init(),
        _ change: (inout WebViewConfiguration) -> Void = { _ in }
    ) -> WebViewPage {
        var configuration = WebViewConfiguration()
        change(&configuration)
        let context = WebViewContext(rules: rules, devices: devices)
        let page = WebViewPage(context: context, configuration: configuration)
        page.engine = engine
        return page
    }

    private func settle(_ condition: () -> Bool) async throws {
        for _ in 0..<2_000 where !condition() { try await Task.sleep(for: .milliseconds(1)) }
        #expect(condition(), "\(engine.calls)")
    }

    @Test("It is loaded once microphone and camera are granted, asked for in that order")
    func granted() async throws {
        let devices = FakeDevices([.microphone: .authorized, .camera: .authorized])
        let page = page(devices)
        page.open("https://a.example/")
        try await settle { engine.calls == ["load https://a.example/"] }
        #expect(devices.asked == [.microphone, .camera])
    }

    @Test("It is not loaded over a page that came in the meantime")
    func notTwice() async throws {
        let page = page(FakeDevices([.microphone: .authorized, .camera: .authorized]))
        page.open("https://a.example/")
        page.url = "https://b.example/"
        try await settle { page.awaited == nil }
        #expect(engine.calls.isEmpty)
    }

    @Test("After a refusal nothing is loaded, the reason is shown, and trying again asks the system again")
    func refused() async throws {
        let devices = FakeDevices([.microphone: .denied])
        let page = page(devices)
        var events: [WebViewEvent] = []
        page.onEvent = { events.append($0) }
        page.open("https://a.example/")
        try await settle { engine.calls == ["show https://a.example/"] }
        #expect(devices.asked == [.microphone], "nobody is asked about the camera then")
        #expect(events.contains(.refusedCapture([.microphone])))
        page.committed("https://a.example/")
        page.finished()
        devices.status = [.microphone: .authorized, .camera: .authorized]
        #expect(!page.decide(NavigationRequest(url: "https://a.example/")))
        try await settle { engine.calls.last == "load https://a.example/" }
    }

    @Test("An app may load it anyway, and the page's own request is then refused")
    func anyway() async throws {
        let page = page(FakeDevices([:])) { $0.loadsAfterRefusal = true }
        page.open("https://a.example/")
        try await settle { engine.calls == ["load https://a.example/"] }
        page.url = "https://a.example/"
        var answers: [Bool] = []
        page.decide(CaptureRequest(page: page.origin, kinds: [.camera])) { answers.append($0) }
        #expect(answers == [false] && engine.shown == nil)
    }

    @Test("One question stands for all views that want to know the same")
    func oneQuestion() throws {
        let first = page()
        let second = WebViewPage(context: first.context)
        let other = FakeEngine()
        second.engine = other
        var answers: [Bool] = []
        let request = CaptureRequest(page: WebOrigin("https://a.example"), kinds: [.camera])
        for page in [first, first, second] { page.decide(request) { answers.append($0) } }
        #expect(other.shown == nil)
        first.answer(try #require(engine.shown).id, WebPanelAnswer(.accept))
        #expect(answers == [true, true, true])
        #expect(engine.shown == nil)
        second.decide(request) { answers.append($0) }
        #expect(answers.count == 4 && other.shown == nil)
    }

    @Test("A question ends with its page, and whoever waits is refused for this time")
    func ends() {
        let page = page()
        var answers: [Bool] = []
        let request = CaptureRequest(page: WebOrigin("https://a.example"), kinds: [.camera])
        page.decide(request) { answers.append($0) }
        page.started("https://b.example/")
        #expect(engine.shown != nil, "the old page is still there")
        page.committed("https://b.example/")
        #expect(answers == [false] && engine.shown == nil)
        page.decide(request) { answers.append($0) }
        page.engineClosed()
        #expect(answers == [false, false])
        page.decide(request) { answers.append($0) }
        #expect(answers == [false, false, false], "nobody is there to be asked")
    }

    @Test("Panels come one after the other, and no page may pile them up")
    func panels() throws {
        let page = page { $0.dialogLimit = DialogFloodLimit(most: 1_000) }
        var answers: [String] = []
        for number in 0..<100 {
            page.run(ScriptDialog(kind: .prompt(defaultText: "d"), message: "\(number)", origin: nil)) {
                answers.append($0.text ?? "none")
            }
        }
        #expect(answers.count == 84)
        let first = try #require(engine.shown)
        #expect(first.message == "0" && first.defaultText == "d")
        page.answer(first.id, WebPanelAnswer(.accept, text: "mine"))
        #expect(answers.last == "mine" && engine.shown?.message == "1")
        page.answer(first.id, WebPanelAnswer(.accept, text: "twice"))
        #expect(answers.last == "mine", "an answer to a panel that is gone is none")
    }

    @Test("A silent server is given up, and the app is told")
    func silence() {
        let page = page()
        page.load("https://a.example/")
        #expect(engine.deadline == .zero + .seconds(15))
        page.started("https://a.example/")
        engine.now += .seconds(15)
        page.woke()
        #expect(engine.calls == ["load https://a.example/", "stop", "show https://a.example/"])
    }

    @Test("A page that is wanted while ours is on its way comes after it")
    func postponed() {
        let page = page()
        page.load("https://a.example/")
        page.started("https://a.example/")
        page.failed(LoadFailure(.cannotConnect), url: "https://a.example/")
        page.load("https://b.example/")
        page.finished()
        page.started("https://a.example/")
        page.committed("https://a.example/")
        #expect(engine.calls == ["load https://a.example/", "show https://a.example/"])
        page.finished()
        #expect(engine.calls.last == "load https://b.example/")
    }

    @Test("A page that waits for another server does not speak in its name")
    func names() {
        let page = page()
        page.committed("https://evil.example/")
        page.finished()
        page.addressChanged("https://bank.example/")
        #expect(page.origin?.host == "evil.example")
        page.started("https://bank.example/")
        page.addressChanged("https://bank.example/")
        #expect(page.origin?.host == "evil.example")
        page.failed(LoadFailure(.cannotConnect), url: "https://bank.example/")
        page.addressChanged("https://bank.example/")
        page.run(ScriptDialog(kind: .alert, message: "pay", origin: page.origin)) { _ in }
        #expect(engine.shown?.title == "evil.example says")
        page.committed("https://bank.example/")
        #expect(engine.shown == nil && page.origin?.host == "bank.example")
        page.finished()
        page.addressChanged("https://bank.example/account")
        #expect(page.url == "https://bank.example/account")
    }

    @Test("A bridge hears pages of allowed origins alone, and speaks to the one that is there")
    func bridge() {
        let page = page()
        let bridge = WebPageBridge(allowed: ["https://a.example"], pageScript: "")
        var heard: [String] = []
        bridge.onMessage = { text, origin in heard.append("\(origin): \(text)") }
        bridge.attach(to: page)
        #expect(engine.calls == ["listen duetBridge in duet-bridge", "script in duet-bridge", "script in page"])
        page.committed("https://a.example/call")
        for message in [
            "https://a.example\nhello\nthere", "https://b.example\nno", "https://a.example", "", "\n",
            "https://a.example\n" + String(repeating: "x", count: 70_000),
        ] { page.heard(message) }
        #expect(heard == ["https://a.example: hello\nthere"])
        page.committed("https://b.example/")
        page.heard("https://a.example\nlate")
        page.heard("https://b.example\nno")
        #expect(heard.count == 1)
        let before = engine.calls.count
        if let origin = WebOrigin("https://a.example") { bridge.send("late", to: origin) }
        #expect(engine.calls.count == before)
        page.committed("https://a.example/")
        if let origin = WebOrigin("https://a.example") { bridge.send("\"</script>\u{2028}\\", to: origin) }
        #expect(
            engine.calls.last?.contains(#"{detail: "\u0022\u003c/script>\u2028\u005c"}"#) == true,
            "\(engine.calls.last ?? "")")
    }

    @Test("Muting reaches what captures, and nothing else")
    func muting() {
        let page = page()
        page.setMuted(.camera, true)
        #expect(engine.calls.isEmpty)
        page.captured(.camera, .active)
        page.setMuted(.camera, true)
        page.captured(.camera, .muted)
        page.setMuted(.camera, false)
        #expect(engine.calls == ["capture camera muted", "capture camera active"])
    }

    @Test("Revoking stops what an origin captures, and loads its pages anew")
    func revoking() throws {
        let page = page()
        page.url = "https://a.example/call"
        page.decide(CaptureRequest(page: page.origin, kinds: [.camera])) { _ in }
        page.answer(try #require(engine.shown).id, WebPanelAnswer(.accept))
        page.captured(.camera, .active)
        #expect(page.context.revoke(try #require(page.origin)))
        #expect(engine.calls == ["capture camera none", "reload"])
        #expect(!page.context.revoke(try #require(page.origin)))
    }

    @Test("An address for another program is opened, one of the app's is handed over, and neither is loaded")
    func elsewhere() {
        let page = page { $0.navigation.appSchemes = ["myapp"] }
        var events: [WebViewEvent] = []
        page.onEvent = { events.append($0) }
        #expect(!page.decide(NavigationRequest(url: "tel:1")))
        #expect(!page.decide(NavigationRequest(url: "MyApp://x", isRedirect: true)))
        #expect(!page.decide(NavigationRequest(url: "what:1")))
        #expect(engine.calls == ["open tel:1"])
        #expect(events == [.openedOutside("tel:1"), .appURL("MyApp://x"), .refusedNavigation("what:1")])
    }

    @Test("A process that ends takes its questions along, and the page comes back")
    func crash() {
        let page = page()
        page.url = "https://a.example/"
        page.captured(.camera, .active)
        var answers: [ScriptDialogAnswer] = []
        page.run(ScriptDialog(kind: .confirm, message: "?", origin: nil)) { answers.append($0) }
        page.processEnded()
        #expect(answers == [.cancel] && page.captureStates[.camera] == CaptureState.none)
        #expect(engine.calls == ["reload"])
        for _ in 0..<3 { page.processEnded() }
        #expect(engine.calls.last == "show https://a.example/")
    }
}
