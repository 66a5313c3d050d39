import RTCWire
import Testing

@testable import RTCWebView

@Suite("Who may capture")
struct CapturePermissionsTests {
    private let page = WebOrigin("https://page.example")!
    private let other = WebOrigin("https://other.example")!
    private let both: Set<CaptureKind> = [.microphone, .camera]

    private func ask(_ permissions: inout CapturePermissions, _ request: CaptureRequest) throws
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
            let request = CaptureRequest(page: page, kinds: both)
            let question = try ask(&permissions, request)
            #expect(question.origin == page && question.kinds == both)
            let isGranted = permissions.answer(question.id, allowed ? .allow : .refuse)
            #expect(isGranted == allowed)
            #expect(permissions.decide(request, isAuthorized: { _ in true }) == (allowed ? .grant : .deny))
            #expect(
                permissions.decide(CaptureRequest(page: page, kinds: [.camera]), isAuthorized: { _ in true })
                    == (allowed ? .grant : .deny))
            _ = try ask(&permissions, CaptureRequest(page: other, kinds: both))
        }
    }

    @Test("Those who want the same meanwhile join the question")
    func join() throws {
        var permissions = CapturePermissions()
        let question = try ask(&permissions, CaptureRequest(page: page, kinds: both))
        for kinds in [both, [.camera], [.microphone]] {
            #expect(
                permissions.decide(CaptureRequest(page: page, kinds: kinds), isAuthorized: { _ in true })
                    == .join(question.id))
        }
        _ = try ask(&permissions, CaptureRequest(page: other, kinds: both))
        permissions.answer(question.id, .allow)
        let again = permissions.answer(question.id, .refuse)
        #expect(!again, "a question is answered once")
        #expect(permissions.decide(CaptureRequest(page: page, kinds: both), isAuthorized: { _ in true }) == .grant)
    }

    @Test("A question for one device is none for the other")
    func devices() throws {
        var permissions = CapturePermissions()
        permissions.answer(try ask(&permissions, CaptureRequest(page: page, kinds: [.camera])).id, .allow)
        let second = try ask(&permissions, CaptureRequest(page: page, kinds: both))
        permissions.answer(second.id, .refuse)
        #expect(
            permissions.decide(CaptureRequest(page: page, kinds: [.microphone]), isAuthorized: { _ in true }) == .deny)
    }

    @Test("A question without an answer is asked again")
    func dismissed() throws {
        var permissions = CapturePermissions()
        let request = CaptureRequest(page: page, kinds: both)
        let question = try ask(&permissions, request)
        let isGranted = permissions.answer(question.id, .dismiss)
        #expect(!isGranted)
        _ = try ask(&permissions, request)
        #expect(permissions.remembered.isEmpty)
    }

    @Test("An origin that the app trusts is never asked about")
    func trusted() {
        var permissions = CapturePermissions(.init(trusted: ["https://page.example"]))
        #expect(permissions.decide(CaptureRequest(page: page, kinds: both), isAuthorized: { _ in true }) == .grant)
        #expect(permissions.state(of: .camera, for: page, isAuthorized: { _ in true }) == true)
    }

    @Test("What the system refuses to the app, no page gets")
    func unauthorized() {
        var permissions = CapturePermissions(.init(trusted: ["https://page.example"]))
        let request = CaptureRequest(page: page, kinds: both)
        #expect(permissions.decide(request, isAuthorized: { $0 == .microphone }) == .deny)
        #expect(
            permissions.decide(CaptureRequest(page: page, kinds: [.microphone]), isAuthorized: { $0 == .microphone })
                == .grant)
        #expect(permissions.state(of: .camera, for: page, isAuthorized: { _ in false }) == false)
    }

    @Test("A frame of another origin is refused, whoever trusts whom")
    func frames() throws {
        var permissions = CapturePermissions(.init(trusted: ["https://page.example", "https://other.example"]))
        for requester in [CaptureRequest.Requester.frame(other), .frame(nil)] {
            let request = CaptureRequest(page: page, requester: requester, kinds: both)
            #expect(permissions.decide(request, isAuthorized: { _ in true }) == .deny)
        }
        permissions.rules.allowsForeignFrames = true
        #expect(
            permissions.decide(
                CaptureRequest(page: page, requester: .frame(other), kinds: both), isAuthorized: { _ in true })
                == .grant)
        #expect(
            permissions.decide(
                CaptureRequest(page: page, requester: .frame(nil), kinds: both), isAuthorized: { _ in true })
                == .deny, "nobody can be asked about a frame of which nothing is known")
        permissions.rules.trusted = ["https://other.example"]
        let question = try ask(&permissions, CaptureRequest(page: page, requester: .frame(other), kinds: both))
        #expect(question.origin == other && question.page == page)
        permissions.answer(question.id, .allow)
        // The answer holds for this frame in this page, and for no other.
        let elsewhere = WebOrigin("https://elsewhere.example")
        _ = try ask(&permissions, CaptureRequest(page: elsewhere, requester: .frame(other), kinds: both))
    }

    @Test("A page without an origin, or one by plain http, is refused")
    func insecure() {
        var permissions = CapturePermissions(.init(trusted: ["http://page.example"]))
        for origin in [nil, WebOrigin("http://page.example")] {
            #expect(permissions.decide(CaptureRequest(page: origin, kinds: both), isAuthorized: { _ in true }) == .deny)
            #expect(permissions.state(of: .camera, for: origin, isAuthorized: { _ in true }) == false)
        }
        #expect(permissions.decide(CaptureRequest(page: page, kinds: []), isAuthorized: { _ in true }) == .deny)
    }

    @Test("The screen is asked about each time, even for who is trusted")
    func display() throws {
        var permissions = CapturePermissions(.init(trusted: ["https://page.example"]))
        let request = CaptureRequest(page: page, kinds: [.display])
        for _ in 0..<2 { permissions.answer(try ask(&permissions, request).id, .allow) }
        #expect(permissions.remembered.isEmpty)
    }

    @Test("A revoked origin is asked about again; what was kept is restored")
    func revoked() throws {
        var permissions = CapturePermissions()
        let request = CaptureRequest(page: page, kinds: both)
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
            permissions.answer(try ask(&permissions, CaptureRequest(page: origin, kinds: [.camera])).id, .refuse)
        }
        #expect(permissions.remembered.count == CapturePermissions.mostAnswers)
    }

    @Test("Deciding about a known origin takes far less than a millisecond")
    func fast() throws {
        var permissions = CapturePermissions(.init(trusted: ["https://page.example"]))
        let request = CaptureRequest(page: page, kinds: both)
        let clock = ContinuousClock()
        let time = clock.measure { for _ in 0..<1_000 { _ = permissions.decide(request, isAuthorized: { _ in true }) } }
        #expect(time < .milliseconds(1_000), "a thousand decisions: \(time)")
    }

    @Test("Who asks: the page, unless frames that may ask are in it")
    func requesters() {
        #expect(FrameRegister.requester(page: page, found: "") == .page)
        #expect(
            FrameRegister.requester(page: page, found: "https://other.example/a\nhttps://other.example/b")
                == .frame(other))
        #expect(
            FrameRegister.requester(page: page, found: "https://other.example/a\nhttps://third.example/b")
                == .frame(nil))
        #expect(FrameRegister.requester(page: page, found: "?") == .frame(nil))
        #expect(FrameRegister.requester(page: page, found: nil) == .frame(nil))
    }
}

@Suite("The order of permissions")
struct CaptureAuthorizationTests {
    @Test("The microphone, then the camera, then the page")
    func order() {
        var steps = CaptureAuthorization()
        steps.learned(.notDetermined, of: .microphone)
        steps.learned(.notDetermined, of: .camera)
        #expect(steps.next == .request(.microphone))
        steps.learned(.authorized, of: .microphone)
        #expect(steps.next == .request(.camera))
        steps.learned(.authorized, of: .camera)
        #expect(steps.next == .load)
    }

    @Test(
        "All sixteen beginnings: what is granted is not asked for, and after a refusal nothing is loaded",
        arguments: [CaptureAuthorizationStatus.notDetermined, .restricted, .denied, .authorized],
        [CaptureAuthorizationStatus.notDetermined, .restricted, .denied, .authorized])
    func beginnings(_ microphone: CaptureAuthorizationStatus, _ camera: CaptureAuthorizationStatus) {
        var steps = CaptureAuthorization()
        steps.learned(microphone, of: .microphone)
        steps.learned(camera, of: .camera)
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
        anyway.learned(microphone == .notDetermined ? .denied : microphone, of: .microphone)
        anyway.learned(camera == .notDetermined ? .denied : camera, of: .camera)
        #expect(anyway.next == .load)
    }

    @Test("What a page does not need is not asked for")
    func subset() {
        var steps = CaptureAuthorization(for: [.camera])
        #expect(steps.next == .request(.camera))
        steps.learned(.authorized, of: .camera)
        #expect(steps.next == .load)
        #expect(CaptureAuthorization(for: []).next == .load)
    }
}
