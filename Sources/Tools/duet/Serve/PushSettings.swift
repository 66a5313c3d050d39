import DuetShell
import RTCSignaling
import RTCSignalingPush

/// The settings of pushes, of options and environment.
struct PushSettings: Sendable, Equatable {
    var webhook: String?
    var webhookSecretFile: String?
    var apnsKey: String?
    var apnsKeyID: String?
    var apnsTeam: String?
    var apnsTopic: String?
    var isSandbox = false
    var apnsServer: String?
    var apnsAuthority: String?
    var tokens: String?

    /// Creates the senders.
    ///
    /// - Returns: `nil` if there are none.
    func makeSenders(auth: AuthenticationOption) async throws(Refusal) -> PushSenders? {
        let webhook = try makeWebhook()
        let devices = try await makeDevicePushes()
        guard devices != nil || tokens == nil else {
            throw Refusal("--push-tokens needs --apns-key, which the tokens are for")
        }
        guard webhook != nil || devices != nil else { return nil }
        guard auth != .open else {
            throw Refusal("pushes need --auth: with “open” anybody could ring anybody's phone under any name")
        }
        var file: PushTokenFile?
        if let tokens { file = try PushTokenFile(tokens) }
        return PushSenders(settings: self, webhook: webhook, devices: devices, file: file)
    }

    private func makeWebhook() throws(Refusal) -> WebhookSender? {
        guard let webhook else {
            guard webhookSecretFile == nil else {
                throw Refusal("--push-webhook-secret-file needs --push-webhook, the URL that is told")
            }
            return nil
        }
        guard let webhookSecretFile else {
            throw Refusal("--push-webhook needs --push-webhook-secret-file, whose secret signs the requests")
        }
        let secrets = try Self.readSecrets(webhookSecretFile)
        do {
            return try WebhookSender(url: webhook, secrets: secrets)
        } catch {
            throw Refusal("--push-webhook: \(error)")
        }
    }

    private func makeDevicePushes() async throws(Refusal) -> APNSSender? {
        let parts = [apnsKey, apnsKeyID, apnsTeam, apnsTopic]
        guard let apnsKey, let apnsKeyID, let apnsTeam, let apnsTopic else {
            guard parts.allSatisfy({ $0 == nil }), !isSandbox, apnsServer == nil, apnsAuthority == nil else {
                throw Refusal("--apns-key, --apns-key-id, --apns-team and --apns-topic belong together")
            }
            return nil
        }
        let key = try OptionFile.read(apnsKey, option: "--apns-key")
        var configuration = APNSSender.Configuration(key: key, keyID: apnsKeyID, teamID: apnsTeam, bundle: apnsTopic)
        (configuration.isSandbox, configuration.server) = (isSandbox, apnsServer)
        configuration.trustedFile = apnsAuthority
        do {
            return try await APNSSender(configuration)
        } catch {
            throw Refusal("--apns-key \(apnsKey): \(error)")
        }
    }

    fileprivate static func readSecrets(_ file: String) throws(Refusal) -> WebhookSecrets {
        let text = try OptionFile.read(file, option: "--push-webhook-secret-file")
        do {
            return try WebhookSecrets(parsing: text)
        } catch {
            throw Refusal("--push-webhook-secret-file \(file): \(error)")
        }
    }
}

/// What sends pushes, and reads its files again.
struct PushSenders: Sendable {
    let settings: PushSettings
    let webhook: WebhookSender?
    let devices: APNSSender?
    let file: PushTokenFile?

    /// The service for one server, which takes over the stored tokens.
    func makeService() -> PushService {
        var service = PushService(webhook: webhook, devices: devices)
        if let file {
            service.storedTokens = file.takeTokens()
            service.storeTokens = { file.write($0) }
        }
        return service
    }

    /// Reads the files again.
    ///
    /// - Throws: If one cannot be used; it remains as it was then.
    func reload() throws(Refusal) {
        if let webhook, let file = settings.webhookSecretFile {
            webhook.replace(secrets: try PushSettings.readSecrets(file))
        }
        guard let devices, let file = settings.apnsKey, let keyID = settings.apnsKeyID, let team = settings.apnsTeam
        else { return }
        let key = try OptionFile.read(file, option: "--apns-key")
        do {
            try devices.replace(key: key, keyID: keyID, teamID: team)
        } catch {
            throw Refusal("--apns-key \(file): \(error)")
        }
    }
}
