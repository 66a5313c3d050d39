import ArgumentParser
import DuetShell
import Foundation
import OAuth
import RTCWire

/// The output of `duet login` and `duet logout`, for people or as JSON. It contains no token.
struct LoginOutput: Sendable {
    let isJSON: Bool

    func opening(_ address: String) {
        say(
            "Your browser opens to sign you in. If it does not, open this address:\n  \(address)",
            "opening", ["address": address])
    }

    func device(_ code: DeviceAuthorization) {
        let address = code.verificationAddress.description
        var members: JSONValue.Members = ["address": address, "code": code.userCode]
        if let complete = code.completeVerificationAddress {
            members["completeAddress"] = complete.description
        }
        say("On another device, open \(address)\nand enter this code: \(code.userCode)", "device", members)
    }

    func signedIn(_ issuer: String, _ identity: Identity?) {
        // Names come from the server: control characters are removed.
        let name = (identity?.name ?? identity?.preferredUsername ?? identity?.subject).map {
            PrintableText.removing($0, limit: 300)
        }
        say(
            "Signed in at \(issuer)\(name.map { " as \($0)" } ?? "").", "signedIn",
            ["issuer": issuer, "subject": identity?.subject, "name": identity?.name])
    }

    /// Reports that the Keychain cannot be used.
    func kept(in file: String) {
        say(
            "This program is not signed, so it has no Keychain: your tokens are in \(file), which nobody but you may read.",
            "tokensInFile", ["file": file])
    }

    func signedOut(_ issuer: String, _ outcome: OAuthClient.SignOutOutcome) {
        say(
            "Signed out of \(issuer)."
                + (outcome.isRevoked ? "" : " The server did not revoke the tokens; they end by themselves."),
            "signedOut",
            ["issuer": issuer, "revoked": outcome.isRevoked, "atServer": outcome.isSignedOutAtServer])
    }

    /// - Returns: The exit status.
    func failed(_ error: any Error) -> ExitCode {
        guard let error = error as? OAuthError else {
            if isJSON { say("", "failed", ["code": "cancelled"]) }
            return ExitCode(130)
        }
        let line = error.message.split(whereSeparator: \.isNewline).joined(separator: " ")
        FileHandle.standardError.write(Data("duet: \(PrintableText.removing(line, limit: 300))\n".utf8))
        if isJSON {
            say("", "failed", ["code": error.code.name, "message": error.message])
        }
        switch error.code {
        case .unreachable, .timedOut, .untrusted: return ExitCode(3)
        case .badConfiguration, .insecureAddress, .noTokenStore: return ExitCode(2)
        default: return ExitCode(1)
        }
    }

    private func say(_ text: String, _ event: String, _ members: JSONValue.Members) {
        let line = isJSON ? JSONValue.event(event, members).line : Array("\(text)\n".utf8)
        FileHandle.standardOutput.write(Data(line))
    }
}
