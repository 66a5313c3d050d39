import RTCWire
import Testing

@testable import RTCWebView

@Suite("Loading")
struct LoadTrackerTests {
    private let start = Instant.zero + .seconds(100)

    @Test("A load is told from its start to its end")
    func whole() {
        var tracker = LoadTracker()
        tracker.requested("a", at: start)
        #expect(tracker.isLoading && tracker.isProvisional)
        #expect(tracker.started("a", at: start) == [.tell(.started(url: "a"))])
        #expect(tracker.committed("b", at: start) == [.tell(.committed(url: "b"))])
        #expect(tracker.finished() == [.tell(.finished(url: "b"))])
        #expect(!tracker.isLoading && tracker.nextDeadline == nil)
        #expect(tracker.finished() == [])
    }

    @Test("Patience begins anew with whatever comes, and ends after 15 s of silence with a page that says so")
    func timeout() {
        var tracker = LoadTracker()
        _ = tracker.started("a", at: start)
        #expect(tracker.timeout(at: start + .milliseconds(14_999)) == [])
        tracker.progressed(at: start + .seconds(10))
        #expect(tracker.nextDeadline == start + .seconds(25))
        let failure = LoadFailure(.timedOut)
        #expect(
            tracker.timeout(at: start + .seconds(25))
                == [.stop, .tell(.failedProvisionally(url: "a", failure)), .show(failure, url: "a")])
        #expect(tracker.timeout(at: start + .seconds(99)) == [])
    }

    @Test("What is there of a page stays when the rest does not come")
    func half() {
        var tracker = LoadTracker()
        _ = tracker.started("a", at: start)
        _ = tracker.committed("a", at: start)
        #expect(tracker.timeout(at: start + .seconds(15)) == [.stop, .tell(.failed(url: "a", LoadFailure(.timedOut)))])
    }

    @Test("A cancelled load is told and not shown; an interrupted one is neither; an old one is no news")
    func cancelled() {
        var tracker = LoadTracker()
        _ = tracker.started("a", at: start)
        #expect(tracker.failed(LoadFailure(.cancelled), url: "old") == [])
        #expect(tracker.isProvisional)
        #expect(
            tracker.failed(LoadFailure(.cancelled), url: "a") == [
                .tell(.failedProvisionally(url: "a", LoadFailure(.cancelled)))
            ])
        _ = tracker.started("a", at: start)
        #expect(tracker.failed(LoadFailure(.interrupted), url: "a") == [])
        #expect(!tracker.isLoading)
    }

    @Test("A load whose redirect becomes a download or opens another app is over, and no timeout follows")
    func handedOver() {
        var tracker = LoadTracker()
        tracker.requested("a", at: start)
        #expect(tracker.failed(LoadFailure(.interrupted), url: "old") == [] && tracker.isProvisional)
        _ = tracker.started("a", at: start)
        #expect(tracker.failed(LoadFailure(.interrupted), url: "tel:1") == [])
        #expect(!tracker.isLoading && tracker.nextDeadline == nil)
        #expect(tracker.timeout(at: start + .seconds(15)) == [])
    }

    @Test("Our own page is nobody's business, until a navigation leads away from it")
    func substitute() {
        var tracker = LoadTracker()
        tracker.substituted(at: start)
        #expect(tracker.finished() == [], "of what has failed")
        #expect(tracker.isSubstituting)
        #expect(tracker.started("a", at: start) == [])
        #expect(tracker.committed("a", at: start) == [])
        #expect(tracker.failed(LoadFailure(.cancelled), url: "a") == [])
        #expect(tracker.finished() == [])
        #expect(!tracker.isSubstituting)
        #expect(tracker.started("a", at: start) == [.tell(.started(url: "a"))])
    }

    @Test("A process that does not even show our own page is ended")
    func hung() {
        var tracker = LoadTracker()
        tracker.substituted(at: start)
        #expect(tracker.nextDeadline == start + .seconds(15) && tracker.awaitsSubstitute)
        #expect(tracker.timeout(at: start + .seconds(14)) == [])
        #expect(tracker.timeout(at: start + .seconds(15)) == [.endProcess])
        tracker.processTerminated()
        #expect(!tracker.isSubstituting && tracker.nextDeadline == nil)
        // Once it is there, no server is waited for.
        tracker.substituted(at: start)
        #expect(tracker.committed("a", at: start) == [])
        #expect(tracker.nextDeadline == nil && !tracker.awaitsSubstitute)
    }

    @Test("What the app itself asks for and may not show has a page that says so; nothing else that is refused has")
    func refused() {
        var tracker = LoadTracker()
        tracker.requested("http://a.example", at: start)
        tracker.refused("http://b.example/", isElsewhere: false, at: start)
        #expect(tracker.isLoading, "some other navigation")
        tracker.refused("http://a.example/", isElsewhere: false, at: start)
        #expect(!tracker.isLoading && tracker.nextDeadline == start)
        let failure = LoadFailure(.notAllowed)
        #expect(
            tracker.timeout(at: start)
                == [
                    .tell(.failedProvisionally(url: "http://a.example", failure)),
                    .show(failure, url: "http://a.example"),
                ])
        tracker.requested("myapp:x", at: start)
        tracker.refused("myapp:x", isElsewhere: true, at: start)
        #expect(!tracker.isLoading && tracker.nextDeadline == nil)
        #expect(!ErrorPage.failure(failure, url: "http://a.example").contains("Try again"))
    }

    @Test("Of Foundation's and GLib's numbers, each says what it is")
    func codes() {
        let expected: [(LoadFailure, LoadFailure.Code)] = [
            (.urlError(-1001), .timedOut), (.urlError(-1009), .offline), (.urlError(-1003), .hostNotFound),
            (.urlError(-1004), .cannotConnect), (.urlError(-1202), .insecure), (.urlError(-999), .cancelled),
            (.urlError(102), .interrupted), (.urlError(-5), .other),
            (.glib(domain: "g-resolver-error-quark", code: 0), .hostNotFound),
            (.glib(domain: "g-io-error-quark", code: 39), .cannotConnect),
            (.glib(domain: "g-tls-error-quark", code: 3), .insecure),
            (.glib(domain: "WebKitPolicyError", code: 102), .interrupted),
            (.glib(domain: "WebKitNetworkError", code: 302), .cancelled), (.glib(domain: "x", code: 1), .other),
        ]
        for (failure, code) in expected { #expect(failure.code == code) }
    }

    @Test("A process that ends is begun again three times a minute, then the person decides")
    func recovery() {
        var recovery = ProcessRecovery()
        for second in 0..<3 { #expect(recovery.processEnded(at: start + .seconds(Int64(second))) == .reload) }
        #expect(recovery.processEnded(at: start + .seconds(4)) == .giveUp)
        #expect(recovery.processEnded(at: start + .seconds(5)) == .reload)
        #expect(recovery.processEnded(at: start + .seconds(500)) == .reload)
    }

    @Test("A page of ours shows what it is told as text, and runs nothing")
    func escaping() {
        let html = ErrorPage.failure(
            LoadFailure(.other, detail: "<script>alert('x')</script>"), url: "https://a.example/?\"><script>&'")
        #expect(!html.contains("<script>"))
        #expect(html.contains("default-src 'none'"))
        #expect(html.contains("href=\"https://a.example/?&quot;&gt;&lt;script&gt;&amp;&#39;\""))
    }

    @Test("A download's name has no folders")
    func names() {
        for (given, name) in [
            ("../../etc/passwd", "passwd"), ("a\\b\\c.txt", "c.txt"), ("", "download"), (".bashrc", "download.bashrc"),
            ("a\u{0}b\n.txt", "ab.txt"), ("///", "download"), ("..", "download.."),
            ("invoice\u{202E}fdp.exe", "invoicefdp.exe"), ("a\u{9B}2J\u{2028}b\u{200B}.txt", "a2Jb.txt"),
            ("\u{200F}.bashrc", "download.bashrc"), ("\u{2066}", "download"),
        ] {
            #expect(WebDownload(url: "", suggestedName: given).suggestedName == name)
        }
    }
}

@Suite("Dialogs of pages")
struct DialogTests {
    @Test("Ten in ten seconds, the second of which may be the last; then none until the page is left")
    func flood() {
        var limit = DialogFloodLimit()
        var now = Instant.zero
        #expect(limit.decide(at: now) == .show(canSuppressDialogs: false))
        for _ in 1..<10 { #expect(limit.decide(at: now) == .show(canSuppressDialogs: true)) }
        #expect(limit.decide(at: now) == .suppress)
        now += .seconds(100)
        #expect(limit.decide(at: now) == .suppress)
        limit.reset()
        #expect(limit.decide(at: now) == .show(canSuppressDialogs: false))
        now += .seconds(11)
        #expect(limit.decide(at: now) == .show(canSuppressDialogs: false))
        limit.silence()
        #expect(limit.decide(at: now) == .suppress)
    }

    @Test("What a page has used up stays used up when it goes elsewhere by itself")
    func moved() {
        var limit = DialogFloodLimit()
        for _ in 0..<11 { _ = limit.decide(at: .zero) }
        limit.pageNavigated(toAnotherOrigin: false)
        #expect(limit.decide(at: .zero) == .suppress)
        limit.pageNavigated(toAnotherOrigin: true)
        #expect(limit.decide(at: .zero) == .suppress)
        limit.pageNavigated(toAnotherOrigin: true)
        #expect(limit.decide(at: .zero + .seconds(11)) == .show(canSuppressDialogs: false))
    }

    @Test("A page's words cannot look like the panel's own, nor fill the screen")
    func words() {
        let dialog = ScriptDialog(kind: .alert, message: "a\u{202E}b\u{0}c\u{2066}\nd\te", origin: nil)
        #expect(dialog.message == "abc\nd\te")
        #expect(
            ScriptDialog(kind: .alert, message: String(repeating: "x", count: 1_000_000), origin: nil).message.count
                == 2_001)
        #expect(
            ScriptDialog(kind: .alert, message: String(repeating: "\n", count: 1_000), origin: nil).message.count < 50)
        for end in ["\u{2028}", "\u{2029}"] {
            let text = ScriptDialog(kind: .alert, message: String(repeating: end, count: 1_000), origin: nil).message
            #expect(text.unicodeScalars.count < 50)
        }
        #expect(ScriptDialog(kind: .alert, message: "a\u{61C}b", origin: nil).message == "ab")
        let text = "\u{202E}" + String(repeating: "x", count: 1_000_000)
        guard case .prompt(let shown) = ScriptDialog(kind: .prompt(defaultText: text), message: "", origin: nil).kind
        else { return #expect(Bool(false)) }
        #expect(shown.count == 2_001 && shown.first == "x")
    }

    @Test("OK gives the text, Cancel nothing")
    func answers() {
        #expect(ScriptDialogAnswer.text("x").text == "x" && ScriptDialogAnswer.text("").isConfirmed)
        #expect(ScriptDialogAnswer.cancel.text == nil && !ScriptDialogAnswer.cancel.isConfirmed)
        #expect(ScriptDialogAnswer.accept.isConfirmed)
    }
}
