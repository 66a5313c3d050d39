internal import NIOCore
internal import NIOPosix
internal import RTCTransport
public import RTCWire

/// Finds out what a call could use on this machine's network, and what is wrong where it does not work.
///
/// ```swift
/// let check = try ConnectivityCheck(servers: [.init(url: "turn:turn.example.org", username: "u", credential: "c")])
/// let report = await check.run()
/// for server in report.servers where !server.isUsable { print(server.url) }
/// ```
///
/// Names are looked up, every server is asked over UDP, TCP and TLS at once, and the kind of NAT is found by what the
/// servers see (RFC 5780). It is over within ``longestTime``, whatever the servers do.
public struct ConnectivityCheck: Sendable {
    /// What is found, as it is found.
    public enum Progress: Sendable {
        case addresses([ConnectivityReport.LocalAddress])
        case lookingUp(host: String)
        case lookedUp(host: String, Result<[IPAddress], ConnectivityFailure>)
        case checking(ICEServerURL, ConnectivityReport.Transport, TransportAddress)
        case checked(ICEServerURL, ConnectivityReport.Check)
        case discoveringNAT(from: IPAddress)
        case discoveredNAT(ConnectivityReport.NAT)
    }

    /// All of it takes no longer. A network without faults takes a few seconds.
    public static let longestTime: Duration = .seconds(25)

    struct Server {
        var url: ICEServerURL
        var credentials: TURNCredentials?
    }

    let servers: [Server]
    let trust: ServerTrust

    /// - Parameters:
    ///   - servers: STUN and TURN servers, as a connection is given them.
    ///   - trust: Whose certificates they may have.
    /// - Throws: ``RTCError`` `invalidArgument` for a server's URL that cannot be used.
    public init(servers: [PeerConnection.ICEServer], trust: ServerTrust = .system) throws(RTCError) {
        self.servers = try servers.map { server throws(RTCError) -> Server in
            do throws(ICEServerURL.Flaw) {
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

    /// Tries everything.
    ///
    /// - Parameter progress: Called on a thread of the check's with each thing as it is found.
    public func run(_ progress: @escaping @Sendable (Progress) -> Void = { _ in }) async -> ConnectivityReport {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        return await withCheckedContinuation { continuation in
            loop.execute {
                ConnectivityRun(self, on: loop, progress: progress) { continuation.resume(returning: $0) }.start()
            }
        }
    }
}
