import OAuth
import RTCWire
import Testing

@testable import RTCWebView

/// A web view with the rules of a real one, and nothing to look at. Where a rule is WebKit's, it names the page of Apple's
/// documentation.
@MainActor
final class FakeEngine: WebEngine {
    var calls: [String] = []
    var shown: WebPanel?
    var now = Instant.zero
    var deadline: Instant?
    var settingsPlace: SettingsPlace { .iOS }
    var hasWindow = true
    var asksAboutOwnPages = false
    var isLoading = true
    /// Questions to the page's document that it has not answered yet.
    var asked: [(script: String, answer: (String?) -> Void)] = []

    func load(_ url: String) { calls.append("load \(url)") }
    func show(html: String, insteadOf url: String) { calls.append("show \(url)") }
    func reload() { calls.append("reload") }
    func stop() { calls.append("stop") }
    func goBack() { calls.append("back") }
    func goForward() { calls.append("forward") }
    func setCapture(_ kind: CaptureKind, _ state: CaptureState) { calls.append("capture \(kind) \(state)") }
    /// https://developer.apple.com/documentation/uikit/uiapplication/canopenurl(_:)
    func canOpen(outside url: String) -> Bool { url.hasPrefix("tel:") }
    func open(outside url: String) { calls.append("open \(url)") }
    /// What nobody can be asked is answered all the same: a script waits for it.
    /// https://developer.apple.com/documentation/webkit/wkuidelegate/webview(_:runjavascriptalertpanelwithmessage:initiatedbyframe:completionhandler:)
    func show(_ panel: WebPanel?) -> Bool {
        shown = hasWindow ? panel : nil
        return hasWindow
    }

    func endProcess() -> Bool {
        calls.append("end process")
        return true
    }

    /// The document answers later, or not at all.
    /// https://developer.apple.com/documentation/webkit/wkwebview/evaluatejavascript(_:in:in:completionhandler:)
    func ask(_ script: String, world: String, _ answer: @escaping (String?) -> Void) { asked.append((script, answer)) }

    /// The document answers what it was asked first.
    func answer(_ text: String?) { asked.removeFirst().answer(text) }
    func addScript(_ source: String, world: String?) { calls.append("script in \(world ?? "page")") }
    func listen(to handler: String, world: String) { calls.append("listen \(handler) in \(world)") }
    func evaluate(_ script: String, world: String) { calls.append("evaluate \(script)") }
    func wake(at deadline: Instant?) { self.deadline = deadline }
}

/// A system that answers as it is told, and counts: nobody is asked before the app asks.
/// https://developer.apple.com/documentation/avfoundation/avcapturedevice/requestaccess(for:completionhandler:)
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

    @Test("It is loaded in place of the page that is shown when it is opened")
    func another() async throws {
        let page = page(FakeDevices([.microphone: .authorized, .camera: .authorized]))
        page.open("https://a.example/")
        try await settle { engine.calls == ["load https://a.example/"] }
        page.started("https://a.example/")
        page.committed("https://a.example/")
        page.finished()
        #expect(page.url == "https://a.example/")
        page.open("https://b.example/")
        try await settle { page.awaited == nil }
        #expect(engine.calls == ["load https://a.example/", "load https://b.example/"])
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
        page.decide(PageCaptureRequest(page: page.origin, kinds: [.camera])) { answers.append($0) }
        #expect(answers == [false] && engine.shown == nil)
    }

    @Test("One question stands for all views that want to know the same")
    func oneQuestion() throws {
        let first = page()
        let second = WebViewPage(context: first.context)
        let other = FakeEngine()
        second.engine = other
        var answers: [Bool] = []
        let request = PageCaptureRequest(page: WebOrigin("https://a.example"), kinds: [.camera])
        for page in [first, first, second] { page.decide(request) { answers.append($0) } }
        #expect(other.shown == nil)
        first.answer(try #require(engine.shown).id, WebPanelAnswer(.accept))
        #expect(answers == [true, true, true])
        #expect(engine.shown == nil)
        second.decide(request) { answers.append($0) }
        #expect(answers.count == 4 && other.shown == nil)
    }

    @Test("A page that asks again and again while a question is open is refused what goes beyond a number")
    func manyRequests() throws {
        let page = page()
        var answers: [Bool] = []
        let request = PageCaptureRequest(page: WebOrigin("https://a.example"), kinds: [.camera])
        for _ in 0..<WebViewContext.mostWaiters + 36 { page.decide(request) { answers.append($0) } }
        #expect(answers == Array(repeating: false, count: 36))
        page.answer(try #require(engine.shown).id, WebPanelAnswer(.accept))
        #expect(answers.count == WebViewContext.mostWaiters + 36)
        #expect(answers.count { $0 } == WebViewContext.mostWaiters)
    }

    @Test("A question ends with its page, and whoever waits is refused for this time")
    func ends() {
        let page = page()
        var answers: [Bool] = []
        let request = PageCaptureRequest(page: WebOrigin("https://a.example"), kinds: [.camera])
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
        // It looks every second whether the page is on its way.
        #expect(engine.deadline == .zero + .seconds(1))
        page.started("https://a.example/")
        engine.now += .seconds(15)
        page.deadlineReached()
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
        // If the web view cancels it by itself, it is loaded once more.
        var events: [WebViewEvent] = []
        page.onEvent = { events.append($0) }
        engine.calls = []
        for _ in 0..<2 {
            page.started("https://b.example/")
            page.failed(LoadFailure(.cancelled), url: "https://b.example/")
        }
        #expect(engine.calls == ["load https://b.example/"])
        #expect(events.last == .load(.failedProvisionally(url: "https://b.example/", LoadFailure(.cancelled))))
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
            "https://a.example 1\nhello\nthere", "https://b.example 1\nno", "https://a.example 1", "", "\n",
            "https://a.example\nno name", "null 1\nsandboxed",
            "https://a.example 1\n" + String(repeating: "x", count: 70_000),
        ] { page.receiveMessage(message) }
        #expect(heard == ["https://a.example: hello\nthere"])
        page.committed("https://b.example/")
        page.receiveMessage("https://a.example 1\nlate")
        page.receiveMessage("https://b.example 1\nno")
        #expect(heard.count == 1)
        let before = engine.calls.count
        if let origin = WebOrigin("https://a.example") { bridge.send("late", to: origin) }
        #expect(engine.calls.count == before)
        page.committed("https://a.example/")
        if let origin = WebOrigin("https://a.example") { bridge.send("\"</script>\u{2028}\\", to: origin) }
        #expect(
            engine.calls.last?.contains(#"{detail: "\u0022\u003c/script>\u2028\u005c"}"#) == true,
            "\(engine.calls.last ?? "")")
        #expect(engine.calls.last?.contains("self.origin ===") == true)
    }

    @Test("A reply goes to the document that asked, and not to the next one of the same origin")
    func replies() throws {
        let page = page()
        let bridge = WebPageBridge(allowed: ["https://a.example"], pageScript: "")
        var asked: [WebPageBridge.Document?] = []
        bridge.onMessage = { [weak bridge] _, _ in asked.append(bridge?.document) }
        bridge.attach(to: page)
        page.committed("https://a.example/")
        page.receiveMessage("https://a.example 0a1b\nfirst")
        page.committed("https://a.example/")
        page.receiveMessage("https://a.example 2c3d\nsecond")
        #expect(asked.count == 2 && asked[0] != asked[1])
        bridge.send("reply", to: try #require(page.origin), in: asked[0])
        #expect(engine.calls.last?.contains(#"self.duetDocument === "0a1b""#) == true)
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
        page.decide(PageCaptureRequest(page: page.origin, kinds: [.camera])) { _ in }
        page.answer(try #require(engine.shown).id, WebPanelAnswer(.accept))
        page.captured(.camera, .active)
        #expect(page.context.revoke(try #require(page.origin)))
        #expect(engine.calls == ["capture camera none", "reload"])
        #expect(!page.context.revoke(try #require(page.origin)))
    }

    @Test("Revoking ends what an origin captures as a frame of another's page")
    func revokingFrame() throws {
        let page = page(rules: .init(allowsForeignFrames: true))
        page.committed("https://a.example/")
        let frame = try #require(WebOrigin("https://b.example"))
        page.decide(PageCaptureRequest(page: page.origin, requester: .frame(frame), kinds: [.camera])) { _ in }
        page.answer(try #require(engine.shown).id, WebPanelAnswer(.accept))
        page.captured(.camera, .active)
        #expect(page.context.revoke(frame))
        #expect(engine.calls == ["capture camera none", "reload"])
    }

    @Test("Frames of a page that is there count until another one is, also while that is waited for")
    func frames() throws {
        let page = page(rules: .init(trusted: ["https://a.example"]))
        page.committed("https://a.example/")
        page.watchFrames("+ x https://evil.example")
        page.load("https://a.example/next")
        page.started("https://a.example/next")
        var answers: [Bool] = []
        page.decideCapture([.camera]) { answers.append($0) }
        #expect(answers.isEmpty && engine.asked.last?.script == FrameRegister.inspection)
        engine.answer("https://a.example")
        #expect(answers == [false] && engine.shown == nil)
        page.committed("https://a.example/next")
        page.decideCapture([.camera]) { answers.append($0) }
        engine.answer("https://a.example")
        #expect(answers == [false, true])
        for found in ["https://evil.example", "null", nil] {
            page.decideCapture([.camera]) { answers.append($0) }
            engine.answer(found)
        }
        #expect(answers.suffix(3) == [false, false, false])
        // A page that came while the old one was being looked at gets nothing.
        page.decideCapture([.camera]) { answers.append($0) }
        page.committed("https://a.example/other")
        engine.answer("https://a.example")
        #expect(answers.last == false && engine.asked.isEmpty)
    }

    @Test("A page that moves on while another one is waited for does not get its address")
    func race() {
        let page = page(rules: .init(trusted: ["https://good.example"]))
        page.committed("https://evil.example/")
        page.load("https://good.example/")
        page.started("https://evil.example/?1")
        page.committed("https://good.example/")  // what the web view says, whichever page it is
        #expect(page.origin == nil && page.url == nil && page.place == nil)
        page.run(ScriptDialog(kind: .alert, message: "pay", origin: page.origin)) { _ in }
        #expect(engine.shown?.title == "This page says")
        engine.answer("https://evil.example\nhttps://evil.example/?1")
        #expect(page.url == "https://evil.example/?1")
        var answers: [Bool] = []
        page.decideCapture([.camera]) { answers.append($0) }
        engine.answer("https://evil.example")
        #expect(answers.isEmpty, "it is asked about in its own name, after the dialog")
        page.committed("https://good.example/")
        #expect(answers == [false] && page.origin == nil)
        engine.answer("https://good.example\nhttps://good.example/")
        #expect(page.origin?.host == "good.example" && engine.asked.isEmpty)
        // A page that went there by itself has the address that the web view says.
        page.committed("https://evil.example/")
        #expect(page.origin?.host == "evil.example" && engine.asked.isEmpty)
    }

    @Test("The second click of a double one gives nothing away")
    func doubleClick() throws {
        let page = page()
        page.committed("https://a.example/")
        var answers: [Bool] = []
        page.decide(PageCaptureRequest(page: page.origin, kinds: [.microphone])) { answers.append($0) }
        var panel = try #require(engine.shown)
        for _ in 0..<2 {
            page.pressed(panel.id, WebPanelAnswer(.accept))
            engine.now += .milliseconds(499)
        }
        page.pressed(panel.id, WebPanelAnswer(.accept))
        #expect(answers.isEmpty == false, "998 ms are enough")
        page.decide(PageCaptureRequest(page: page.origin, kinds: [.camera])) { answers.append($0) }
        panel = try #require(engine.shown)
        page.pressed(panel.id, WebPanelAnswer(.cancel))
        #expect(answers == [true, false], "no is no at once")
    }

    @Test("A question that becomes one about more is put anew, and has to be read anew")
    func widened() throws {
        let page = page()
        page.committed("https://a.example/")
        var answers: [Bool] = []
        page.decide(PageCaptureRequest(page: page.origin, kinds: [.microphone])) { answers.append($0) }
        let first = try #require(engine.shown)
        engine.now += .seconds(1)
        page.decide(PageCaptureRequest(page: page.origin, kinds: [.camera])) { answers.append($0) }
        let second = try #require(engine.shown)
        #expect(second.id != first.id && second.title == "a.example wants to use your microphone and camera")
        page.pressed(first.id, WebPanelAnswer(.accept))
        page.pressed(second.id, WebPanelAnswer(.accept))
        #expect(answers.isEmpty)
        engine.now += .milliseconds(500)
        page.pressed(second.id, WebPanelAnswer(.accept))
        #expect(answers == [true, true] && engine.shown == nil)
    }

    @Test("Right after a refusal nothing is asked, unless somebody wants the page again")
    func quiet() throws {
        let page = page()
        page.committed("https://a.example/")
        var answers: [Bool] = []
        page.decide(PageCaptureRequest(page: page.origin, kinds: [.microphone])) { answers.append($0) }
        page.pressed(try #require(engine.shown).id, WebPanelAnswer(.cancel))
        page.decide(PageCaptureRequest(page: page.origin, kinds: [.camera])) { answers.append($0) }
        #expect(answers == [false, false] && engine.shown == nil)
        #expect(page.context.permissions.remembered.values.first?[.camera] == nil, "nobody has answered that")
        page.reload()
        page.committed("https://a.example/")
        page.decide(PageCaptureRequest(page: page.origin, kinds: [.camera])) { answers.append($0) }
        page.pressed(try #require(engine.shown).id, WebPanelAnswer(.cancel))
        engine.now += .seconds(3)
        page.decide(PageCaptureRequest(page: page.origin, kinds: [.display])) { answers.append($0) }
        #expect(engine.shown != nil && answers.count == 3)
    }

    @Test("What a page wants and nobody asked the system for is asked for then, after the person let the page")
    func late() async throws {
        let devices = FakeDevices([.microphone: .authorized, .camera: .denied])
        let page = page(devices)
        page.committed("https://a.example/")
        var answers: [Bool] = []
        page.decide(PageCaptureRequest(page: page.origin, kinds: [.microphone])) { answers.append($0) }
        #expect(page.permissionState(of: .microphone, for: page.origin) == nil)
        page.answer(try #require(engine.shown).id, WebPanelAnswer(.accept))
        try await settle { answers == [true] }
        for _ in 0..<3 {
            page.decide(PageCaptureRequest(page: page.origin, kinds: [.microphone])) { answers.append($0) }
        }
        #expect(answers == [true, true, true, true] && devices.asked == [.microphone])
        engine.now += .seconds(1)
        page.decide(PageCaptureRequest(page: page.origin, kinds: [.camera])) { answers.append($0) }
        page.answer(try #require(engine.shown).id, WebPanelAnswer(.accept))
        try await settle { answers.count == 5 }
        #expect(answers.last == false && devices.asked == [.microphone, .camera])
        page.decide(PageCaptureRequest(page: page.origin, kinds: [.camera])) { answers.append($0) }
        #expect(answers.count == 6 && answers.last == false && engine.shown == nil)
    }

    @Test("A page that may not speak any more can be left")
    func silenced() {
        let page = page { $0.dialogLimit = DialogFloodLimit(most: 1) }
        page.committed("https://a.example/")
        var answers: [ScriptDialogAnswer] = []
        page.run(ScriptDialog(kind: .alert, message: "", origin: nil)) { answers.append($0) }
        page.run(ScriptDialog(kind: .beforeUnload, message: "", origin: nil)) { answers.append($0) }
        page.run(ScriptDialog(kind: .confirm, message: "", origin: nil)) { answers.append($0) }
        #expect(answers == [.accept, .cancel] && engine.shown?.acceptLabel == "OK")
    }

    @Test("A page that loads itself anew goes on with what it has used up, until somebody else wants it")
    func nagging() {
        let page = page()
        var answers: [ScriptDialogAnswer] = []
        for number in 0..<11 {
            page.committed("https://a.example/")
            page.run(ScriptDialog(kind: .confirm, message: "", origin: nil)) { answers.append($0) }
            #expect(engine.shown?.canSuppressDialogs == (number == 10 ? nil : number > 0))
        }
        page.reload()
        page.committed("https://a.example/")
        page.run(ScriptDialog(kind: .confirm, message: "", origin: nil)) { answers.append($0) }
        #expect(engine.shown?.canSuppressDialogs == false)
    }

    @Test("What nobody can see is answered as dismissed")
    func noWindow() {
        let page = page()
        engine.hasWindow = false
        page.committed("https://a.example/")
        var answers: [String] = []
        page.run(ScriptDialog(kind: .prompt(defaultText: "d"), message: "", origin: nil)) {
            answers.append($0.text ?? "none")
        }
        page.decide(PageCaptureRequest(page: page.origin, kinds: [.camera])) { answers.append("\($0)") }
        #expect(answers == ["none", "false"] && page.panel == nil)
        #expect(page.context.permissions.remembered.isEmpty)
    }

    @Test("What was asked for and got lost on its way is loaded again, five times")
    func lost() {
        let page = page()
        page.url = "https://nags.example/"
        page.load("https://a.example/")
        func loads() -> Int { engine.calls.count { $0 == "load https://a.example/" } }
        func wait() {
            engine.now += .seconds(1)
            page.deadlineReached()
        }
        wait()
        #expect(loads() == 1)
        engine.isLoading = false
        wait()
        #expect(loads() == 2)
        engine.isLoading = true
        // A page that loads itself anew has come between.
        #expect(!page.decide(NavigationRequest(url: "https://nags.example/", isMainFrame: true)))
        wait()
        #expect(loads() == 3)
        wait()
        #expect(loads() == 3)
        page.started("https://a.example/")
        engine.isLoading = false
        for _ in 0..<10 { wait() }
        #expect(loads() == 6)
        // It is there: nothing is lost any more.
        page.committed("https://a.example/")
        wait()
        #expect(loads() == 6)
    }

    @Test("A page that hangs is ended, and what is wanted is shown by another process")
    func hung() {
        let page = page()
        page.load("https://a.example/")
        page.started("https://a.example/")
        engine.now += .seconds(15)
        page.deadlineReached()
        #expect(engine.calls == ["load https://a.example/", "stop", "show https://a.example/"])
        page.load("https://b.example/")
        engine.now += .seconds(15)
        page.deadlineReached()
        #expect(engine.calls.last == "end process")
        page.processEnded()
        #expect(engine.calls.last == "load https://b.example/")
        // Where nothing else is wanted, it is our page that is shown.
        page.started("https://b.example/")
        engine.now += .seconds(15)
        page.deadlineReached()
        engine.now += .seconds(15)
        page.deadlineReached()
        page.processEnded()
        #expect(engine.calls.suffix(3) == ["show https://b.example/", "end process", "show https://b.example/"])
    }

    @Test("Our own page is shown also where the web view asks about it, and whatever the rules say")
    func ownPages() async throws {
        let page = page(FakeDevices([:])) { $0.navigation.isHTTPSOnly = true }
        engine.asksAboutOwnPages = true
        page.open("http://a.example")
        try await settle { engine.calls == ["show http://a.example"] }
        #expect(!page.decide(NavigationRequest(url: "http://b.example/")))
        #expect(page.decide(NavigationRequest(url: "http://a.example/")), "and the system is not asked again")
        #expect(page.decideResponse(url: "http://a.example/", isMainFrame: true, canBeShown: true) == .show)
        page.committed("http://a.example/")
        #expect(!page.decide(NavigationRequest(url: "http://a.example/")))
        #expect(engine.calls == ["show http://a.example"])
    }

    @Test("A page that the app asks for and its rules forbid is told about in its place")
    func forbidden() {
        let page = page { $0.navigation.isHTTPSOnly = true }
        var events: [WebViewEvent] = []
        page.onEvent = { events.append($0) }
        page.load("http://a.example/")
        #expect(!page.decide(NavigationRequest(url: "http://a.example/", isMainFrame: nil)))
        #expect(engine.deadline == engine.now)
        page.deadlineReached()
        #expect(engine.calls == ["load http://a.example/", "show http://a.example/"])
        #expect(events.contains(.refusedNavigation("http://a.example/")))
    }

    @Test("A frame opens no other program by itself, and a page one, until somebody touches it")
    func openings() {
        let page = page()
        page.load("https://a.example/")
        page.committed("https://a.example/")
        for _ in 0..<50 { #expect(!page.decide(NavigationRequest(url: "tel:1", isMainFrame: nil))) }
        #expect(engine.calls == ["load https://a.example/", "open tel:1"])
        #expect(!page.decide(NavigationRequest(url: "tel:2", isMainFrame: nil, isUserGesture: true)))
        #expect(engine.calls.last == "open tel:2")
        page.reload()
        page.committed("https://a.example/")
        let before = engine.calls
        #expect(page.decide(NavigationRequest(url: "https://ads.example/", isMainFrame: nil)))
        #expect(!page.decide(NavigationRequest(url: "tel:3", isMainFrame: nil)))
        #expect(engine.calls == before, "it may be the frame")
    }

    @Test("The app answers who wants to know somebody’s name, and nobody who wants to be trusted")
    func authentication() async throws {
        let challenge = AuthenticationChallenge(host: "a.example", method: .basic, realm: "staff")
        var given: [String] = []
        func take(_ answer: AuthenticationAnswer) {
            switch answer {
            case .password(let user, let password, _): given.append("\(user) \(password.value)")
            case .cancel: given.append("cancel")
            default: given.append("default")
            }
        }
        #expect(!page().authenticate(challenge, answer: take), "without a hook the system does what it does")
        let page = page()
        page.authentication = { challenge in
            guard challenge.realm == "staff", !challenge.isRetry else { return .performDefaultHandling }
            return .password(user: "alice", password: Secret("secret"))
        }
        #expect(page.authenticate(challenge, answer: take))
        try await settle { given == ["alice secret"] }
        #expect(page.authenticate(AuthenticationChallenge(host: "a.example", method: .basic), answer: take))
        try await settle { given.last == "default" }
        #expect(
            page.authenticate(
                AuthenticationChallenge(host: "a", method: .clientCertificate, realm: "staff"), answer: take))
        try await settle { given.last == "cancel" }
        #expect(page.decide(.init(host: "a", method: .serverTrust(isTrusted: false, certificate: nil))) == .refuse)
        page.engineClosed()
        #expect(!page.authenticate(challenge, answer: take))
    }

    @Test("A download ends once, whole or with its reason; what was refused has no end")
    func downloads() {
        let page = page { $0.downloadDestination = { $0.suggestedName == "no" ? nil : "/tmp/\($0.suggestedName)" } }
        var events: [WebViewEvent] = []
        page.onEvent = { events.append($0) }
        #expect(page.decideDownload(1, url: "", suggestedName: "a") == "/tmp/a")
        #expect(page.decideDownload(2, url: "", suggestedName: "b") == "/tmp/b")
        #expect(page.decideDownload(3, url: "", suggestedName: "no") == nil)
        events = []
        page.downloadEnded(2, failure: "the disk is full")
        for id in [1, 2, 3] { page.downloadEnded(id) }
        #expect(
            events == [.downloadFailed(path: "/tmp/b", reason: "the disk is full"), .downloaded(path: "/tmp/a")])
    }

    @Test("A title is cut to what can be shown")
    func title() {
        let page = page()
        page.titleChanged("a\u{202E}b" + String(repeating: "x", count: 1_000_000))
        #expect(page.title.count == 2_001 && page.title.hasPrefix("abx"))
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

    @Test("A page that is left opens no other program by itself; what was asked for, and what comes of it, does")
    func leavingForAnotherProgram() {
        let page = page()
        page.url = "https://a.example/"
        page.load("https://b.example/")
        #expect(!page.decide(NavigationRequest(url: "tel:1")))
        #expect(engine.calls.filter { $0.hasPrefix("open ") }.isEmpty)
        #expect(!page.decide(NavigationRequest(url: "tel:2", isRedirect: true)))
        page.load("tel:3")
        #expect(!page.decide(NavigationRequest(url: "tel:3")))
        page.load("https://b.example/")
        #expect(!page.decide(NavigationRequest(url: "tel:4", isUserGesture: true)))
        #expect(engine.calls.filter { $0.hasPrefix("open ") } == ["open tel:2", "open tel:3", "open tel:4"])
    }

    @Test("A page that somebody leaves keeps nobody with its dialogs, nor by loading itself anew")
    func leaving() {
        let page = page()
        page.url = "https://a.example/"
        var answers: [ScriptDialogAnswer] = []
        let confirm = ScriptDialog(kind: .confirm, message: "?", origin: WebOrigin("https://a.example"))
        page.run(confirm) { answers.append($0) }
        page.decide(PageCaptureRequest(page: page.origin, kinds: [.camera])) { _ in }
        page.load("https://b.example/")
        #expect(answers == [.cancel])
        #expect(page.panel?.cancelLabel == "Don’t allow", "what is not the script's stays until another page is there")
        page.run(confirm) { answers.append($0) }
        #expect(answers == [.cancel, .cancel])
        #expect(!page.decide(NavigationRequest(url: "https://a.example/", isMainFrame: nil)))
        #expect(page.decide(NavigationRequest(url: "https://b.example/", isMainFrame: nil)))
        // A person's own click, a server's word, and what may be one.
        #expect(page.decide(NavigationRequest(url: "https://a.example/", isUserGesture: true)))
        #expect(page.decide(NavigationRequest(url: "https://a.example/in", isRedirect: true)))
        #expect(page.decide(NavigationRequest(url: "https://a.example/in", isRedirect: nil)))
        page.started("https://b.example/")
        #expect(!page.decide(NavigationRequest(url: "https://a.example/")))
        page.run(ScriptDialog(kind: .beforeUnload, message: "", origin: nil)) { answers.append($0) }
        #expect(answers.count == 2, "whether it may be left is asked")
        page.committed("https://b.example/")
        engine.answer("https://b.example\nhttps://b.example/")
        #expect(page.panel == nil && answers == [.cancel, .cancel, .accept])
        #expect(page.decide(NavigationRequest(url: "https://b.example/2")))
        page.run(confirm) { answers.append($0) }
        #expect(page.panel != nil)
        // What became a download leaves the page where it is, and free.
        page.load("https://c.example/file")
        page.started("https://c.example/file")
        page.failed(LoadFailure(.interrupted), url: "https://c.example/file")
        page.started("https://b.example/3")
        #expect(page.decide(NavigationRequest(url: "https://b.example/4")))
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
