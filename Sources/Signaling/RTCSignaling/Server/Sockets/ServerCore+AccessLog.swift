internal import NIOCore
internal import NIOHTTP1
internal import RTCCrypto
internal import RTCWire

// MARK: - The access log

extension ServerCore {
    /// The maximum length of a logged path, in bytes.
    private static let longestPath = 200

    /// Records a request and the status of its response. The query is left out, since anything may be in it.
    func record(_ head: HTTPRequestHead, status: Int, bytes: Int, on socket: ServerSocket) {
        guard configuration.accessLog != nil else { return }
        let path = head.uri.utf8.prefix(Self.longestPath).prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let method = head.method.rawValue.utf8.prefix(16)
        record(
            .request(
                method: String(decoding: method, as: UTF8.self), path: String(decoding: path, as: UTF8.self),
                status: status, bytes: bytes),
            of: socket)
    }

    /// Records that the connection of a signed-in device has ended.
    func recordEnd(of socket: ServerSocket) {
        guard configuration.accessLog != nil, let user = socket.user, let start = socket.signedInAt else { return }
        let seconds = (now - start).inSeconds
        record(
            .sessionEnded(user: user.rawValue, seconds: seconds, reason: socket.closeReason ?? "disconnected"),
            of: socket)
    }

    private func record(_ event: AccessRecord.Event, of socket: ServerSocket) {
        let proxy = socket.peer == socket.client ? nil : socket.peer?.description
        configuration.accessLog?(
            AccessRecord(
                time: Double(SystemTime.nanoseconds) / 1e9, client: socket.client?.description, proxy: proxy,
                event: event))
    }
}
