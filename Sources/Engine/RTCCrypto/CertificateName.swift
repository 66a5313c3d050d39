internal import CNIOBoringSSL
internal import RTCWire

/// Whom a TLS server's certificate is for.
package enum CertificateName {
    /// Whether a certificate is for `host`, by the alternative names that it states (RFC 9525, section 6).
    ///
    /// A name is compared with names, where `*` stands for one whole label, and an address with addresses: a certificate
    /// that is for the address which a name server has told is not thereby for the name.
    ///
    /// - Parameters:
    ///   - der: The certificate.
    ///   - host: A name, or a literal address; as a URL has it, an IPv6 one without brackets.
    package static func matches(_ der: [UInt8], host: String) -> Bool {
        ERR_clear_error()
        defer { ERR_clear_error() }
        let certificate = der.withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            return d2i_X509(nil, &cursor, bytes.count)
        }
        guard let certificate else { return false }
        defer { X509_free(certificate) }
        if let address = IPAddress(host) {
            let bytes = address.bytes
            return X509_check_ip(certificate, bytes, bytes.count, 0) == 1
        }
        // A host must not contain an asterisk: it would match a wildcard name.
        guard !host.utf8.contains(UInt8(ascii: "*")) else { return false }
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        let flags = CUnsignedInt(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
        return X509_check_host(certificate, name, name.utf8.count, flags, nil) == 1
    }
}
