/// What the server reads in the headers of trusted proxies, for fuzzing.
@_spi(Testing) public enum ProxyParsing {
    /// Reads a header of the PROXY protocol at the beginning of a connection.
    ///
    /// - Returns: The number of its bytes; `nil` if it is incomplete, absent or malformed.
    public static func headerLength(_ bytes: [UInt8]) -> Int? {
        if case .header(let header) = ProxyHeader.read(bytes) { header.length } else { nil }
    }

    /// Returns whether more bytes can make these a header.
    public static func isIncomplete(_ bytes: [UInt8]) -> Bool { ProxyHeader.read(bytes) == .incomplete }

    /// Reads the fields of a request. Each field stands for `Forwarded` and all of the `X-Forwarded-…` fields.
    ///
    /// - Returns: The client's address, if it is known, and the number of malformed values.
    public static func request(_ fields: [String], from trust: ProxyTrust) -> (client: String?, malformed: Int) {
        let request = ForwardedRequest(
            ForwardedRequest.Fields(
                forwarded: fields, forwardedFor: fields, forwardedHost: fields, forwardedProto: fields), from: trust)
        return (request.client.map { "\($0)" }, request.malformedCount)
    }
}
