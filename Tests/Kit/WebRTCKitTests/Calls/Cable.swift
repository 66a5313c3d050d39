import Foundation
import Synchronization

/// A network between the peers of one machine that can be cut: each of their ports has one on the cable that stands for it.
///
/// `rewrite` puts the cable's ports into candidates and descriptions. What arrives at the port that stands for `p` goes to
/// `p`, and comes from the port that stands for its sender.
final class Cable: Sendable {
    private struct State {
        /// The sockets, by the ports that they stand for.
        var sockets: [UInt16: Int32] = [:]
        var isCut = false
        var isOver = false
    }

    private let state = Mutex(State())

    deinit { state.withLock { $0.isOver = true } }

    func cut() { state.withLock { $0.isCut = true } }
    func mend() { state.withLock { $0.isCut = false } }

    /// No socket of it is needed any more.
    func remove() { state.withLock { $0.isOver = true } }

    /// The text of a signal or a candidate, with the cable's ports.
    func rewrite(_ text: Data) -> Data {
        var words = String(decoding: text, as: UTF8.self).components(separatedBy: " ")
        for index in words.indices.dropFirst() where words[index - 1] == "127.0.0.1" {
            if let port = UInt16(words[index]), port > 9, let mine = endpoint(for: port).flatMap(Self.port) {
                words[index] = String(mine)
            }
        }
        return Data(words.joined(separator: " ").utf8)
    }

    /// The socket that stands for a peer's port.
    private func endpoint(for port: UInt16) -> Int32? {
        state.withLock { (state) -> Int32? in
            if let known = state.sockets[port] { return known }
            #if canImport(Darwin)
                let new = socket(AF_INET, SOCK_DGRAM, 0)
            #else
                let new = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            #endif
            guard new >= 0 else { return nil }
            let isBound = Self.withAddress(0) { bind(new, $0, $1) == 0 }
            guard isBound else { return nil }
            var patience = timeval(tv_sec: 0, tv_usec: 100_000)
            setsockopt(new, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
            state.sockets[port] = new
            Thread.detachNewThread { [weak self] in
                var buffer = [UInt8](repeating: 0, count: 2_048)
                while let self, self.state.withLock({ !$0.isOver }) { carry(from: new, to: port, &buffer) }
                close(new)
            }
            return new
        }
    }

    private func carry(from descriptor: Int32, to port: UInt16, _ buffer: inout [UInt8]) {
        var sender = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = withUnsafeMutablePointer(to: &sender) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(descriptor, &buffer, buffer.count, 0, $0, &length)
            }
        }
        guard count > 0, state.withLock({ !$0.isCut }), let other = endpoint(for: UInt16(bigEndian: sender.sin_port))
        else { return }
        Self.withAddress(port) { _ = sendto(other, buffer, count, 0, $0, $1) }
    }

    private static func withAddress<Result>(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func port(of socket: Int32) -> UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
        }
        return result == 0 ? UInt16(bigEndian: address.sin_port) : nil
    }
}
