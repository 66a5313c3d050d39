import ArgumentParser
import DuetShell

/// `--push-webhook`, `--apns-key`: what wakes the devices of users who have no connection.
struct PushOptions: ParsableArguments {
    @Option(
        name: .customLong("push-webhook"),
        help: ArgumentHelp(
            """
            A URL of the app's own server, which is told when somebody is called who has no connection. Also in \
            DUET_PUSH_WEBHOOK.
            """, valueName: "url"))
    var webhook: String?

    @Option(
        name: .customLong("push-webhook-secret-file"),
        help: ArgumentHelp(
            "A file with the secret that signs those requests, “whsec_…”. Also in DUET_PUSH_WEBHOOK_SECRET_FILE.",
            valueName: "file"))
    var webhookSecretFile: String?

    @Option(
        name: .customLong("apns-key"),
        help: ArgumentHelp(
            "A file .p8 with the key by which iPhones are woken through Apple's push service. Also in DUET_APNS_KEY.",
            valueName: "file"))
    var apnsKey: String?

    @Option(
        name: .customLong("apns-key-id"),
        help: ArgumentHelp("The identifier of that key. Also in DUET_APNS_KEY_ID.", valueName: "id"))
    var apnsKeyID: String?

    @Option(
        name: .customLong("apns-team"),
        help: ArgumentHelp("The identifier of the team that has it. Also in DUET_APNS_TEAM.", valueName: "id"))
    var apnsTeam: String?

    @Option(
        name: .customLong("apns-topic"),
        help: ArgumentHelp("The bundle identifier of the app. Also in DUET_APNS_TOPIC.", valueName: "bundle"))
    var apnsTopic: String?

    @Flag(
        name: .customLong("apns-sandbox"),
        help: "The app was built for development: its tokens are of Apple's sandbox. Also DUET_APNS_SANDBOX=1.")
    var apnsSandbox = false

    @Option(
        name: .customLong("apns-server"),
        help: ArgumentHelp(
            "Another server in the place of Apple's, for tests. Also in DUET_APNS_SERVER.", valueName: "url"))
    var apnsServer: String?

    @Option(
        name: .customLong("apns-authority"),
        help: ArgumentHelp(
            "The authority of that server's certificate, in PEM. Also in DUET_APNS_AUTHORITY.", valueName: "file"))
    var apnsAuthority: String?

    @Option(
        name: .customLong("push-tokens"),
        help: ArgumentHelp(
            """
            A file in which the tokens of phones are kept, so that they ring after a restart of the server too. Also in \
            DUET_PUSH_TOKENS.
            """, valueName: "file"))
    var tokens: String?

    /// Returns the settings with those of the environment, which options override.
    func merged(with environment: [String: String]) -> PushSettings {
        func value(_ option: String?, _ name: String) -> String? {
            option ?? environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        var settings = PushSettings()
        settings.webhook = value(webhook, "DUET_PUSH_WEBHOOK")
        settings.webhookSecretFile = value(webhookSecretFile, "DUET_PUSH_WEBHOOK_SECRET_FILE")
        settings.apnsKey = value(apnsKey, "DUET_APNS_KEY")
        settings.apnsKeyID = value(apnsKeyID, "DUET_APNS_KEY_ID")
        settings.apnsTeam = value(apnsTeam, "DUET_APNS_TEAM")
        settings.apnsTopic = value(apnsTopic, "DUET_APNS_TOPIC")
        settings.isSandbox = apnsSandbox || environment["DUET_APNS_SANDBOX"] == "1"
        settings.apnsServer = value(apnsServer, "DUET_APNS_SERVER")
        settings.apnsAuthority = value(apnsAuthority, "DUET_APNS_AUTHORITY")
        settings.tokens = value(tokens, "DUET_PUSH_TOKENS")
        return settings
    }
}
