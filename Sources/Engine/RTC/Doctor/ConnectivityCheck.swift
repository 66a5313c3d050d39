internal import NIOCore
internal import NIOPosix
internal import RTCTransport
package import RTCWire

/// Checks which paths a call can use on this machine's network, and explains what does not work.
///
/// ```swift
/// let check = try ConnectivityCheck(servers: [.init(url: "turn:turn.example.org", username: "u", credential: "c")])
/// let report = await check.run()
/// for route in report.routes { print(route.kind, route.isPossible ?? false, route.explanation) }
/// ```
///
/// Host names are resolved, every server is checked over UDP, TCP and TLS in parallel, and the behaviour of the NAT is
/// discovered (RFC 5780). The check ends within ``longestTime``.
public struct ConnectivityCheck: Sendable {
    /// An intermediate result of the check.
    package enum Progress: Sendable {
        case addresses([ConnectivityReport.LocalAddress])
        case lookingUp(host: String)
        case lookedUp(host: String, Result<[IPAddress], ConnectivityFailure>)
        case checking(ICEServerURL, ConnectivityReport.Transport, TransportAddress)
        case checked(ICEServerURL, ConnectivityReport.Check)
        case discoveringNAT(from: IPAddress)
        case discoveredNAT(ConnectivityReport.NAT)
    }

    /// The maximum duration of a check. On a working network it takes a few seconds.
    package static let longestTime: Duration = .seconds(25)

    struct Server {
        var url: ICEServerURL
        var credentials: TURNCredentials?
    }

    let servers: [Server]
    let trust: ServerTrust

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - servers: STUN and TURN servers, as for a connection.
    ///   - trust: The certificate authorities to trust.
    /// - Throws: ``RTCError`` `invalidArgument` if a server's URL is invalid.
    public init(servers: [PeerConnection.ICEServer], trust: ServerTrust = .system) throws(RTCError) {
        self.servers = try servers.map { server throws(RTCError) -> Server in
            do throws(ICEServerURL.ParseError) {
                let url = try ICEServerURL(server.url)
                guard let username = server.username, let credential = server.credential else {
                    return Server(url: url)
                }
                return Server(url: url, credentials: TURNCredentials(username: username, password: credential))
            } catch {
                throw RTCError(code: .invalidArgument, message: "the URL of an ICE server \(error)")
            }
        }
        self.trust = trust
    }

    /// Runs the check.
    public func run() async -> ConnectivityReport { await run { _ in } }

    /// Runs the check.
    ///
    /// - Parameter progress: Called with each intermediate result, on a thread of the check.
    package func run(_ progress: @escaping @Sendable (Progress) -> Void) async -> ConnectivityReport {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        return await withCheckedContinuation { continuation in
            loop.execute {
                ConnectivityRun(self, on: loop, progress: progress) { continuation.resume(returning: $0) }.start()
            }
        }
    }
}
