import RTCWire
import Testing

@testable import RTCWebView

@Suite("Who may capture")
struct CapturePermissionsTests {
    private let page = WebOrigin("https://page.example")!
    private let other = WebOrigin("https://other.example")!
    private let both: Set<CaptureKind> = [.microphone, .camera]

    private func ask(_ permissions: inout CapturePermissions, _ request: PageCaptureRequest) throws
        -> CapturePermissions.Question
    {
        guard case .ask(let question) = permissions.decide(request, isAuthorized: { _ in true }) else {
            throw Unexpected(what: "\(permissions.decide(request, isAuthorized: { _ in true }))")
        }
        return question
    }
    struct Unexpected: Error { let what: String }

    @Test("An unknown origin is asked about once, and its answer holds")
    func once() throws {
        for allowed in [true, false] {
            var permissions = CapturePermissions()
            let request = PageCaptureRequest(page: page, kinds: both)
            let question = try ask(&permissions, request)
            #expect(question.origin == page && question.kinds == both)
            let isGranted = permissions.answer(question.id, allowed ? .allow : .refuse)
            #expect(isGranted == allowed)
            #expect(permissions.decide(request, isAuthorized: { _ in true }) == (allowed ? .grant : .deny))
            #expect(
                permissions.decide(PageCaptureRequest(page: page, kinds: [.camera]), isAuthorized: { _ in true })
                    == (allowed ? .grant : .deny))
            _ = try ask(&permissions, PageCaptureRequest(page: other, kinds: both))
        }
    }

    @Test("Those who want the same meanwhile join the question")
    func join() throws {
        var permissions = CapturePermissions()
        let question = try ask(&permissions, PageCaptureRequest(page: page, kinds: both))
        for kinds in [both, [.camera], [.microphone]] {
            #expect(
                permissions.decide(PageCaptureRequest(page: page, kinds: kinds), isAuthorized: { _ in true })
                    == .join(question.id))
        }
        _ = try ask(&permissions, PageCaptureRequest(page: other, kinds: both))
        permissions.answer(question.id, .allow)
        let again = permissions.answer(question.id, .refuse)
        #expect(!again, "a question is answered once")
        #expect(permissions.decide(PageCaptureRequest(page: page, kinds: both), isAuthorized: { _ in true }) == .grant)
    }

    @Test("A question for one device is none for the other")
    func devices() throws {
        var permissions = CapturePermissions()
        permissions.answer(try ask(&permissions, PageCaptureRequest(page: page, kinds: [.camera])).id, .allow)
        let second = try ask(&permissions, PageCaptureRequest(page: page, kinds: both))
        permissions.answer(second.id, .refuse)
        #expect(
            permissions.decide(PageCaptureRequest(page: page, kinds: [.microphone]), isAuthorized: { _ in true })
                == .deny)
    }

    @Test("A question without an answer is asked again")
    func dismissed() throws {
        var permissions = CapturePermissions()
        let request = PageCaptureRequest(page: page, kinds: both)
        let question = try ask(&permissions, request)
        let isGranted = permissions.answer(question.id, .dismiss)
        #expect(!isGranted)
        _ = try ask(&permissions, request)
        #expect(permissions.remembered.isEmpty)
    }

    @Test("An origin that the app trusts is never asked about")
    func trusted() {
        var permissions = CapturePermissions(.init(trusted: ["https://page.example"]))
        #expect(permissions.decide(PageCaptureRequest(page: page, kinds: both), isAuthorized: { _ in true }) == .grant)
        #expect(permissions.state(of: .camera, for: page, isAuthorized: { _ in true }) == true)
    }

    @Test("What the system refuses to the app, no page gets")
    func unauthorized() {
        var permissions = CapturePermissions(.init(trusted: ["https://page.example"]))
        let request = PageCaptureRequest(page: page, kinds: both)
        #expect(permissions.decide(request, isAuthorized: { $0 == .microphone }) == .deny)
        #expect(
            permissions.decide(
                PageCaptureRequest(page: page, kinds: [.microphone]), isAuthorized: { $0 == .microphone })
                == .grant)
        #expect(permissions.state(of: .camera, for: page, isAuthorized: { _ in false }) == false)
    }

    @Test("A frame of another origin is refused, whoever trusts whom")
    func frames() throws {
        var permissions = CapturePermissions(.init(trusted: ["https://page.example", "https://other.example"]))
        for requester in [PageCaptureRequest.Requester.frame(other), .frame(nil)] {
            let request = PageCaptureRequest(page: page, requester: requester, kinds: both)
            #expect(permissions.decide(request, isAuthorized: { _ in true }) == .deny)
        }
        permissions.rules.allowsForeignFrames = true
        #expect(
            permissions.decide(
                PageCaptureRequest(page: page, requester: .frame(other), kinds: both), isAuthorized: { _ in true })
                == .grant)
        #expect(
            permissions.decide(
                PageCaptureRequest(page: page, requester: .frame(nil), kinds: both), isAuthorized: { _ in true })
                == .deny, "nobody can be asked about a frame of which nothing is known")
        permissions.rules.trusted = ["https://other.example"]
        let question = try ask(&permissions, PageCaptureRequest(page: page, requester: .frame(other), kinds: both))
        #expect(question.origin == other && question.page == page)
        permissions.answer(question.id, .allow)
        // The answer holds for this frame in this page, and for no other.
        let elsewhere = WebOrigin("https://elsewhere.example")
        _ = try ask(&permissions, PageCaptureRequest(page: elsewhere, requester: .frame(other), kinds: both))
    }

    @Test("A page without an origin, or one by plain http, is refused")
    func insecure() {
        var permissions = CapturePermissions(.init(trusted: ["http://page.example"]))
        for origin in [nil, WebOrigin("http://page.example")] {
            #expect(
                permissions.decide(PageCaptureRequest(page: origin, kinds: both), isAuthorized: { _ in true }) == .deny)
            #expect(permissions.state(of: .camera, for: origin, isAuthorized: { _ in true }) == false)
        }
        #expect(permissions.decide(PageCaptureRequest(page: page, kinds: []), isAuthorized: { _ in true }) == .deny)
    }

    @Test("The screen is asked about each time, even for who is trusted")
    func display() throws {
        var permissions = CapturePermissions(.init(trusted: ["https://page.example"]))
        let request = PageCaptureRequest(page: page, kinds: [.display])
        for _ in 0..<2 { permissions.answer(try ask(&permissions, request).id, .allow) }
        #expect(permissions.remembered.isEmpty)
    }

    @Test("A revoked origin is asked about again; what was kept is restored")
    func revoked() throws {
        var permissions = CapturePermissions()
        let request = PageCaptureRequest(page: page, kinds: both)
        permissions.answer(try ask(&permissions, request).id, .allow)
        #expect(permissions.remembered == [page: [.camera: true, .microphone: true]])
        var next = CapturePermissions()
        next.restore(permissions.entries)
        #expect(next.decide(request, isAuthorized: { _ in true }) == .grant)
        let revoked = (permissions.revoke(other), permissions.revoke(page))
        #expect(revoked == (false, true))
        _ = try ask(&permissions, request)
    }

    @Test("However many origins ask, what is remembered is bounded")
    func bounded() throws {
        var permissions = CapturePermissions()
        for number in 0..<(CapturePermissions.mostAnswers + 100) {
            let origin = try #require(WebOrigin(scheme: "https", host: "n\(number).example"))
            permissions.answer(try ask(&permissions, PageCaptureRequest(page: origin, kinds: [.camera])).id, .refuse)
        }
        #expect(permissions.remembered.count == CapturePermissions.mostAnswers)
    }

    @Test("Deciding about a known origin takes far less than a millisecond")
    func fast() throws {
        var permissions = CapturePermissions(.init(trusted: ["https://page.example"]))
        let request = PageCaptureRequest(page: page, kinds: both)
        let clock = ContinuousClock()
        let times = (0..<1_000).map { _ in
            clock.measure { _ = permissions.decide(request, isAuthorized: { _ in true }) }
        }.sorted()
        #expect(times[500] < .milliseconds(1), "\(times[500])")
    }

    @Test("Where a page and its frames cannot be told apart, the page answers for them")
    func pageOrFrames() throws {
        let third = try #require(WebOrigin("https://third.example"))
        let request = PageCaptureRequest(page: page, requester: .pageOrFrames([other]), kinds: [.camera])
        var permissions = CapturePermissions(.init(trusted: ["https://page.example"]))
        #expect(permissions.decide(request, isAuthorized: { _ in true }) == .deny, "even in a page that is trusted")
        permissions.rules.allowsForeignFrames = true
        let question = try ask(&permissions, request)
        #expect(question.origin == page && question.frames == [other], "asked about in the page's name")
        permissions.answer(question.id, .allow)
        #expect(permissions.decide(request, isAuthorized: { _ in true }) == .grant)
        // Another frame is another question, and nobody's answer holds in another page.
        _ = try ask(
            &permissions, PageCaptureRequest(page: page, requester: .pageOrFrames([other, third]), kinds: [.camera]))
        _ = try ask(&permissions, PageCaptureRequest(page: third, requester: .frame(other), kinds: [.camera]))
        permissions.rules.trusted = ["https://page.example", "https://other.example"]
        #expect(permissions.decide(request, isAuthorized: { _ in true }) == .grant)
    }

    @Test("Audio and video asked for apart make one question while it is open")
    func widened() throws {
        var permissions = CapturePermissions()
        let question = try ask(&permissions, PageCaptureRequest(page: page, kinds: [.microphone]))
        guard
            case .extend(let wider) = permissions.decide(
                PageCaptureRequest(page: page, kinds: [.camera]), isAuthorized: { _ in true })
        else { throw Unexpected(what: "two questions") }
        #expect(wider.id == question.id && wider.kinds == both)
        #expect(
            permissions.decide(PageCaptureRequest(page: page, kinds: both), isAuthorized: { _ in true })
                == .join(question.id))
        let screen = try ask(&permissions, PageCaptureRequest(page: page, kinds: [.display]))
        #expect(screen.kinds == [.display], "the screen is asked about by itself")
        permissions.answer(question.id, .refuse)
        for kinds in [both, [.camera], [.microphone]] {
            #expect(
                permissions.decide(PageCaptureRequest(page: page, kinds: kinds), isAuthorized: { _ in true }) == .deny)
        }
    }
}

@Suite("Who asks")
struct FrameRegisterTests {
    private let page = WebOrigin("https://page.example")!
    private let other = WebOrigin("https://other.example")!

    private func requester(_ found: String?, _ said: String...) -> PageCaptureRequest.Requester {
        var register = FrameRegister()
        for message in said { register.receiveMessage(message) }
        return register.requester(page: page, found: found)
    }

    @Test("Where the web view names the frame: the page only if it is of the page's very origin")
    func named() {
        func requester(_ frame: WebOrigin?, _ topLevel: WebOrigin?) -> PageCaptureRequest.Requester {
            PageCaptureRequest(kinds: [.camera], frame: frame, topLevel: topLevel).requester
        }
        #expect(requester(page, page) == .page)
        #expect(requester(other, page) == .frame(other))
        #expect(requester(nil, page) == .frame(nil))
        #expect(requester(nil, nil) == .frame(nil))
        #expect(PageCaptureRequest(kinds: [.camera], frame: other, topLevel: page).page == page)
    }

    @Test("The document that is there has to be the one that the address names")
    func identity() {
        #expect(requester("https://page.example") == .page)
        for found in [nil, "", "null", "https://other.example", "https://page.example:8443", "\nhttps://page.example"] {
            #expect(requester(found) == .frame(nil), "\(found ?? "nothing")")
        }
        #expect(FrameRegister().requester(page: nil, found: "https://page.example") == .frame(nil))
    }

    @Test("Frames in the document that may capture")
    func found() {
        #expect(
            requester("https://page.example\nhttps://other.example/a\nhttps://other.example/b")
                == .pageOrFrames([other]))
        #expect(requester("https://page.example\n?") == .frame(nil))
        #expect(
            requester("https://page.example\nhttps://page.example/sandboxed") == .frame(nil), "its origin is opaque")
    }

    @Test(
        "Frames say so themselves, wherever they are in the page, until they are gone or turn out not to be allowed to")
    func said() {
        let found = "https://page.example"
        #expect(requester(found, "+ a https://other.example") == .pageOrFrames([other]))
        #expect(requester(found, "+ a https://page.example") == .page)
        #expect(requester(found, "+ a null") == .frame(nil))
        #expect(requester(found, "+ a https://other.example", "= a") == .page)
        #expect(requester(found, "+ a https://other.example", "- a") == .page)
        #expect(requester(found, "+ a https://other.example", "- b", "", "=", "- ", "what") == .pageOrFrames([other]))
        #expect(requester(found, "- a", "+ a https://other.example") == .pageOrFrames([other]))
    }

    @Test("A frame that we ourselves told “denied” is not believed that its page does not let it")
    func denied() {
        var register = FrameRegister()
        register.permissionDenied(.camera)
        register.receiveMessage("+ b https://other.example")
        register.receiveMessage("= b")
        #expect(
            register.requester(page: page, found: "https://page.example") == .page, "of the microphone we said nothing")
        register.permissionDenied(.microphone)
        register.receiveMessage("+ a https://other.example")
        register.receiveMessage("= a")
        #expect(register.requester(page: page, found: "https://page.example") == .pageOrFrames([other]))
        register.pageChanged()
        #expect(register.requester(page: page, found: "https://page.example") == .page)
    }

    @Test("More frames than anybody can watch are not watched, and refused")
    func flood() {
        var register = FrameRegister()
        for number in 0..<10_000 { register.receiveMessage("+ \(number) https://page.example") }
        for number in 0..<10_000 { register.receiveMessage("- \(number)") }
        #expect(register.requester(page: page, found: "https://page.example") == .frame(nil))
    }
}

@Suite("The order of permissions")
struct CaptureAuthorizationTests {
    @Test("The microphone, then the camera, then the page")
    func order() {
        var steps = CaptureAuthorization()
        steps.noteAuthorization(.notDetermined, of: .microphone)
        steps.noteAuthorization(.notDetermined, of: .camera)
        #expect(steps.next == .request(.microphone))
        steps.noteAuthorization(.authorized, of: .microphone)
        #expect(steps.next == .request(.camera))
        steps.noteAuthorization(.authorized, of: .camera)
        #expect(steps.next == .load)
    }

    @Test(
        "All sixteen beginnings: what is granted is not asked for, and after a refusal nothing is loaded",
        arguments: [CaptureAuthorizationStatus.notDetermined, .restricted, .denied, .authorized],
        [CaptureAuthorizationStatus.notDetermined, .restricted, .denied, .authorized])
    func beginnings(_ microphone: CaptureAuthorizationStatus, _ camera: CaptureAuthorizationStatus) {
        var steps = CaptureAuthorization()
        steps.noteAuthorization(microphone, of: .microphone)
        steps.noteAuthorization(camera, of: .camera)
        switch (microphone, camera) {
        case (.notDetermined, _): #expect(steps.next == .request(.microphone))
        case (.authorized, .notDetermined): #expect(steps.next == .request(.camera))
        case (.authorized, .authorized): #expect(steps.next == .load)
        default:
            guard case .explain(let refused) = steps.next else {
                Issue.record("\(steps.next)")
                return
            }
            #expect(refused.first?.kind == (microphone == .authorized ? .camera : .microphone))
            #expect(refused.contains { $0.isRestricted } == (microphone == .restricted || camera == .restricted))
        }
        var anyway = CaptureAuthorization(loadsAnyway: true)
        anyway.noteAuthorization(microphone == .notDetermined ? .denied : microphone, of: .microphone)
        anyway.noteAuthorization(camera == .notDetermined ? .denied : camera, of: .camera)
        #expect(anyway.next == .load)
    }

    @Test("What a page does not need is not asked for")
    func subset() {
        var steps = CaptureAuthorization(for: [.camera])
        #expect(steps.next == .request(.camera))
        steps.noteAuthorization(.authorized, of: .camera)
        #expect(steps.next == .load)
        #expect(CaptureAuthorization(for: []).next == .load)
    }
}
