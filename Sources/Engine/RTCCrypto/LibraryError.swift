internal import CNIOBoringSSL
internal import RTCTransport

/// The oldest error in the library's queue for this thread; empties the queue.
///
/// The queue persists between calls, so a stale entry would be taken for the reason of a later failure: every call that
/// reads it first clears it, or calls library functions that do.
struct LibraryError {
    /// 0 when the queue was empty.
    let code: UInt32

    init() {
        code = ERR_peek_error()
        ERR_clear_error()
    }

    var reason: Int32 { ERR_GET_REASON(code) }

    /// The library's message, such as `CERTIFICATE_VERIFY_FAILED`.
    var text: String {
        guard code != 0, let words = ERR_reason_error_string(code) else { return "unknown error" }
        return String(cString: words)
    }

    /// The code of the alert from the peer, if this error is one.
    var alert: UInt8? {
        guard ERR_GET_LIB(code) == Int32(ERR_LIB_SSL) else { return nil }
        return UInt8(exactly: Int(reason) - Int(SSL_AD_REASON_OFFSET))
    }
}

extension CryptoError {
    /// An error of the library while `attempt` was performed.
    init(attempting attempt: String) {
        self.init("\(attempt): \(LibraryError().text)")
    }
}
