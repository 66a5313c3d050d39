public import ArgumentParser
import DuetShell
public import RTCSignaling

/// `--trusted-proxy`: the reverse proxies in front of a server, and how they report the address of a client.
struct ProxyOptions: ParsableArguments {
    @Option(
        name: .customLong("trusted-proxy"),
        help: ArgumentHelp(
            """
            The address or network of a reverse proxy, whose word on the address of a client counts. May be given several \
            times, and in DUET_TRUSTED_PROXY with commas between.
            """, valueName: "cidr"))
    var trusted: [String] = []

    @Option(
        help: ArgumentHelp(
            "The field in which proxies report it; any other is the client's.",
            valueName: "x-forwarded-for|forwarded|none"))
    var proxyHeader: ProxyTrust.Header = .xForwardedFor

    @Option(
        help: ArgumentHelp(
            "Whether connections of proxies begin with a header of the PROXY protocol.",
            valueName: "off|optional|required"))
    var proxyProtocol: ProxyTrust.ProxyProtocol = .off

    func validate() throws {
        do {
            _ = try TrustedNetworks(trusted)
        } catch {
            throw ValidationError("--trusted-proxy: \(error)")
        }
    }

    /// - Parameter environment: Has more networks in `DUET_TRUSTED_PROXY`.
    func makeTrust(_ environment: [String: String]) throws(Refusal) -> ProxyTrust {
        var trust = ProxyTrust()
        (trust.header, trust.proxyProtocol) = (proxyHeader, proxyProtocol)
        do {
            trust.networks = try TrustedNetworks(trusted + Self.networks(of: environment))
        } catch {
            throw Refusal("DUET_TRUSTED_PROXY: \(error)")
        }
        guard !trust.networks.isEmpty || proxyProtocol == .off else {
            throw Refusal("--proxy-protocol needs --trusted-proxy, the proxy that sends it")
        }
        return trust
    }

    static func networks(of environment: [String: String]) -> [String] {
        (environment["DUET_TRUSTED_PROXY"] ?? "").split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
    }
}

extension ProxyTrust.Header: ExpressibleByArgument {}
extension ProxyTrust.ProxyProtocol: ExpressibleByArgument {}
