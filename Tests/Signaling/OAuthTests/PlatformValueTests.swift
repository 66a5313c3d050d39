import Testing

@testable import OAuth

@Suite("What the system's sign-in and keychain are told")
struct PlatformValueTests {
    @Test("The sign-in sheet looks out for a scheme or a link, and for no port")
    func callbacks() throws {
        #expect(try BrowserCallback(RedirectURI("com.example.app:/done")) == .customScheme("com.example.app"))
        #expect(
            try BrowserCallback(RedirectURI("https://App.example.org/done"))
                == .https(host: "app.example.org", path: "/done"))
        #expect(
            try BrowserCallback(RedirectURI("https://app.example.org")) == .https(host: "app.example.org", path: "/"))
        #expect(code { try BrowserCallback(RedirectURI("http://127.0.0.1/")) } == .badConfiguration)
    }

    /// An anchor has to be a window that is shown, of the scene that a person uses.
    /// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationpresentationcontextproviding
    /// https://developer.apple.com/documentation/uikit/uiscene/activationstate-swift.enum
    @Test("The sign-in is shown over the window that is in use, of several; over any of them while none is in use")
    func frontWindow() {
        typealias Scene = FrontWindow.Scene<String>
        let (left, right) = (Scene(isActive: false, keyWindow: "left"), Scene(isActive: true, keyWindow: "right"))
        #expect(FrontWindow.choose([left, right]) == "right")
        #expect(FrontWindow.choose([left]) == "left")
        // A scene that is active without a window is one of another kind, such as that of a car's screen.
        #expect(FrontWindow.choose([Scene(isActive: true), left]) == "left")
        #expect(FrontWindow.choose([Scene]()) == nil)
    }

    @Test("What the Keychain answers means one thing each")
    func statuses() {
        #expect(
            KeychainStatus(0) == .done && KeychainStatus(-25_300) == .absent && KeychainStatus(-25_299) == .duplicate)
        for (status, expected) in [
            (Int32(-25_308), OAuthError.Code.noTokenStore), (-34_018, .noTokenStore), (-128, .noTokenStore),
            (-50, .tokenStoreFailed),
        ] {
            guard case .failed(let error) = KeychainStatus(status) else {
                Issue.record("\(status) is no failure")
                continue
            }
            #expect(error.code == expected)
        }
    }
}
