internal import CNIOBoringSSL
internal import RTCTransport

/// The oldest error on the library's queue of this thread, which is emptied.
///
/// The queue outlives a call, and a stale entry would be read as the reason of the next failure: every call that looks
/// at it afterwards clears it first, or is one of those of the library that do so themselves.
struct LibraryError {
    /// 0 when the queue was empty.
    let code: UInt32

    init() {
        code = ERR_peek_error()
        ERR_clear_error()
    }

    var reason: Int32 { ERR_GET_REASON(code) }

    /// The library's words, such as `CERTIFICATE_VERIFY_FAILED`.
    var text: String {
        guard code != 0, let words = ERR_reason_error_string(code) else { return "unknown error" }
        return String(cString: words)
    }

    /// The code of the alert that the peer sent, if that is what this error is.
    var alert: UInt8? {
        guard ERR_GET_LIB(code) == Int32(ERR_LIB_SSL) else { return nil }
        return UInt8(exactly: Int(reason) - Int(SSL_AD_REASON_OFFSET))
    }
}

extension CryptoError {
    /// An error of the library, after what was attempted.
    init(attempting attempt: String) {
        self.init("\(attempt): \(LibraryError().text)")
    }
}
