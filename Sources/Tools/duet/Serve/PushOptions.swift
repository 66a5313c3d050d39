public import ArgumentParser
import DuetShell
import Foundation
import RTCSignaling
import RTCSignalingPush

/// `--push-webhook`: what wakes the devices of users who have no connection.
struct PushOptions: ParsableArguments {
    @Option(
        name: .customLong("push-webhook"),
        help: ArgumentHelp(
            """
            A URL of the app's own server, which is told when somebody is called who has no connection (docs/push.md). Also \
            in DUET_PUSH_WEBHOOK.
            """, valueName: "url"))
    var webhook: String?

    @Option(
        name: .customLong("push-webhook-secret-file"),
        help: ArgumentHelp(
            "A file with the secret that signs those requests, “whsec_…”. Also in DUET_PUSH_WEBHOOK_SECRET_FILE.",
            valueName: "file"))
    var webhookSecretFile: String?

    /// Returns the settings with those of the environment, which options override.
    func merged(with environment: [String: String]) -> PushSettings {
        func value(_ option: String?, _ name: String) -> String? {
            option ?? environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        return PushSettings(
            webhook: value(webhook, "DUET_PUSH_WEBHOOK"),
            webhookSecretFile: value(webhookSecretFile, "DUET_PUSH_WEBHOOK_SECRET_FILE"))
    }
}

/// The settings of pushes.
struct PushSettings: Sendable, Equatable {
    var webhook: String?
    var webhookSecretFile: String?

    /// Creates the senders.
    ///
    /// - Returns: `nil` if there are none.
    func makeSenders(auth: AuthenticationOption) throws(Refusal) -> PushSenders? {
        guard let webhook else {
            guard webhookSecretFile == nil else {
                throw Refusal("--push-webhook-secret-file needs --push-webhook, the URL that is told")
            }
            return nil
        }
        guard let webhookSecretFile else {
            throw Refusal("--push-webhook needs --push-webhook-secret-file, whose secret signs the requests")
        }
        guard auth != .open else {
            throw Refusal("--push-webhook needs --auth: with “open” anybody could ring anybody's phone under any name")
        }
        let secrets = try Self.readSecrets(webhookSecretFile)
        do {
            return PushSenders(settings: self, webhook: try WebhookSender(url: webhook, secrets: secrets))
        } catch {
            throw Refusal("--push-webhook: \(error)")
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
    let webhook: WebhookSender

    var service: PushService { PushService(webhook: webhook) }

    /// Reads the files again.
    ///
    /// - Throws: If one cannot be used; everything remains as it is then.
    func reload() throws(Refusal) {
        guard let file = settings.webhookSecretFile else { return }
        webhook.replace(secrets: try PushSettings.readSecrets(file))
    }
}
