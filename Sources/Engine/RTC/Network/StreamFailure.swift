internal import NIOCore
internal import NIOSSL

/// The reason why a TCP or TLS connection could not be established, or ended.
enum StreamFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing was received within the time limit for connecting, TLS included.
    case timedOut
    /// The port is closed (ECONNREFUSED), or a firewall says so.
    case refused
    /// There is no route: the system's message.
    case unreachable(String)
    /// The peer closed or reset the connection.
    case closedByPeer
    /// The TLS handshake failed: the library's message.
    case handshakeFailed(String)
    /// The certificate is not signed by a trusted authority.
    case untrusted
    /// The certificate has expired, or is not valid yet.
    case expired
    /// The certificate is for another host.
    case wrongName(expected: String)
    /// The given authorities are not certificates, or the system has none.
    case noAuthorities
    /// The peer sent no valid frame within the time limit.
    case idle
    /// Another failure: the system's message.
    case failed(String)

    var description: String {
        switch self {
        case .timedOut: "nothing answers; a firewall may be in between"
        case .refused: "the connection is refused; nobody listens on that port"
        case .unreachable(let reason): "there is no way there (\(reason))"
        case .closedByPeer: "the other side closed the connection"
        case .handshakeFailed(let reason): "TLS failed (\(reason)); perhaps that port does not speak TLS"
        case .untrusted: "its certificate is signed by nobody trusted here"
        case .expired: "its certificate has expired, or is not valid yet"
        case .wrongName(let expected): "its certificate is not for \(expected)"
        case .noAuthorities: "there are no certificates of authorities to trust"
        case .idle: "it sent nothing that counts in time"
        case .failed(let reason): reason
        }
    }
}

extension StreamFailure {
    /// - Parameter leaf: The server's certificate, if it was received.
    init(_ error: any Error, leaf: NIOSSLCertificate? = nil) {
        switch error {
        case let error as StreamFailure: self = error
        case let error as IOError: self = Self(errno: error.errnoCode)
        case NIOSSLError.handshakeFailed(let reason): self = Self(handshake: reason, leaf: leaf)
        case NIOSSLError.uncleanShutdown: self = .closedByPeer
        case ChannelError.connectTimeout: self = .timedOut
        case ChannelError.eof, ChannelError.ioOnClosedChannel, ChannelError.inputClosed: self = .closedByPeer
        default: self = .failed("\(error)")
        }
    }

    private init(errno code: CInt) {
        switch code {
        case ECONNREFUSED: self = .refused
        case ETIMEDOUT: self = .timedOut
        case ECONNRESET, EPIPE, ENOTCONN: self = .closedByPeer
        case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, ENETDOWN, EACCES, EPERM:
            self = .unreachable(String(cString: strerror(code)))
        default: self = .failed(String(cString: strerror(code)))
        }
    }

    /// The library reports only that the verification failed, so the dates are checked here.
    private init(handshake error: BoringSSLError, leaf: NIOSSLCertificate?) {
        guard case .sslError(let stack) = error else {
            self = .handshakeFailed("\(error)")
            return
        }
        let words = stack.map(\.description).joined(separator: " ")
        if words.contains("EOF during handshake") {
            self = .closedByPeer
        } else if words.contains("CERTIFICATE_VERIFY_FAILED") {
            let now = time(nil)
            let isValid = leaf.map { $0.notValidBefore <= now && now <= $0.notValidAfter } ?? true
            self = isValid ? .untrusted : .expired
        } else {
            // “error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER at …”
            let reason = stack.first?.description.split(separator: ":").dropFirst(5).first?.split(separator: " ").first
            self = .handshakeFailed(
                reason.map { $0.lowercased().split(separator: "_").joined(separator: " ") } ?? words)
        }
    }
}

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif
