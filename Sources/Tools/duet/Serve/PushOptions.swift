import ArgumentParser
import DuetShell

/// `--push-webhook`, `--apns-key`: what wakes the devices of users who have no connection.
struct PushOptions: ParsableArguments {
    @Option(
        "push-webhook", value: "url",
        "A URL of the app's own server, which is told when somebody is called who has no connection.")
    var webhook: String?

    @Option(
        "push-webhook-secret-file", value: "file", "A file with the secret that signs those requests, “whsec_…”.")
    var webhookSecretFile: String?

    @Option(
        "apns-key", value: "file", "A file .p8 with the key by which iPhones are woken through Apple's push service.")
    var apnsKey: String?

    @Option("apns-key-id", value: "id", "The identifier of that key.")
    var apnsKeyID: String?

    @Option("apns-team", value: "id", "The identifier of the team that has it.")
    var apnsTeam: String?

    @Option("apns-topic", value: "bundle", "The bundle identifier of the app.")
    var apnsTopic: String?

    @Flag(
        name: .customLong("apns-sandbox"),
        help: "The app was built for development: its tokens are of Apple's sandbox. Also DUET_APNS_SANDBOX=1.")
    var apnsSandbox = false

    @Option("apns-server", value: "url", "Another server in the place of Apple's, for tests.")
    var apnsServer: String?

    @Option("apns-authority", value: "file", "The authority of that server's certificate, in PEM.")
    var apnsAuthority: String?

    @Option(
        "push-tokens", value: "file",
        "A file in which the tokens of phones are kept, so that they ring after a restart of the server too.")
    var tokens: String?

    /// Returns the settings with those of the environment, which options override.
    func merged(with environment: [String: String]) -> PushSettings {
        var settings = PushSettings()
        settings.webhook = webhook ?? environment.value(of: "DUET_PUSH_WEBHOOK")
        settings.webhookSecretFile = webhookSecretFile ?? environment.value(of: "DUET_PUSH_WEBHOOK_SECRET_FILE")
        settings.apnsKey = apnsKey ?? environment.value(of: "DUET_APNS_KEY")
        settings.apnsKeyID = apnsKeyID ?? environment.value(of: "DUET_APNS_KEY_ID")
        settings.apnsTeam = apnsTeam ?? environment.value(of: "DUET_APNS_TEAM")
        settings.apnsTopic = apnsTopic ?? environment.value(of: "DUET_APNS_TOPIC")
        settings.isSandbox = apnsSandbox || environment["DUET_APNS_SANDBOX"] == "1"
        settings.apnsServer = apnsServer ?? environment.value(of: "DUET_APNS_SERVER")
        settings.apnsAuthority = apnsAuthority ?? environment.value(of: "DUET_APNS_AUTHORITY")
        settings.tokens = tokens ?? environment.value(of: "DUET_PUSH_TOKENS")
        return settings
    }
}
