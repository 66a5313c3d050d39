import NIOEmbedded
import RTCCrypto
import Testing

@testable import RTCSignaling

@Suite("Stored push tokens")
struct StoredTokenTests {
    @Test("A server takes those of an earlier run over, and keeps no copy of them as they were")
    func takenOver() {
        var configuration = SignalingServer.Configuration()
        let token = StoredPushToken(user: "bob", device: "phone", token: PushToken(1), registeredAt: SystemTime.seconds)
        configuration.pushes = PushService()
        configuration.pushes?.storedTokens = [token]
        let core = ServerCore(configuration, on: EmbeddedEventLoop())
        #expect(core.statistics.pushes?.tokens == 1)
        #expect(core.configuration.pushes?.storedTokens.isEmpty == true)
        core.dropAll()
    }
}
