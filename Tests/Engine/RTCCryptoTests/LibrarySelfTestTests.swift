import Testing

@Suite("The TLS library")
struct LibrarySelfTestTests {
    /// A function that is missing altogether stops RTCCrypto from compiling, and the compiler names it: then see
    /// docs/dependencies.md, which says which versions of swift-nio-ssl are known to work.
    @Test("Every function of BoringSSL that is relied upon does what is relied upon")
    func surface() {
        #expect(LibrarySelfTest.failures() == [])
    }
}
