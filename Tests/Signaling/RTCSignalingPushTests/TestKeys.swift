import NIOSSL

/// Keys that are no secret, as one can see.
enum TestKeys {
    /// As Apple gives them out, in a file `.p8`.
    static let provider = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgzUJEtrNfGaRoznfk
        9sknc61L7AUXimE1yFlk440tOU+hRANCAASWOLtFGzWjNAZRGN4WlM5NrZ+nkuaN
        Vq27aXCPM+1Y15y1xN4/uqBzDeCIaJs8AU5wwePrJhj8gEXfraOW/Hh0
        -----END PRIVATE KEY-----

        """
    static let providerPublic = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAElji7RRs1ozQGURjeFpTOTa2fp5Lm
        jVatu2lwjzPtWNectcTeP7qgcw3giGibPAFOcMHj6yYY/IBF362jlvx4dA==
        -----END PUBLIC KEY-----

        """
    /// For localhost and 127.0.0.1, signed by itself, for a hundred years.
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBmjCCAUGgAwIBAgIURsdOU65aKWAsAjYwKJNBIy2OQh8wCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNzE4NDE1MVoYDzIxMjYxMTAz
        MTg0MTUxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAAQQJOwYMWB2GeteicJpY33VmCL7P/zUiC4Iw1Pktq5yOBqR0KvWFT0B
        wyntqqODnKj4yQ9ZGhKcC0N+TtZv1+uco28wbTAdBgNVHQ4EFgQUp7P7srcvEAOF
        siw7rgb6D8HqcfAwHwYDVR0jBBgwFoAUp7P7srcvEAOFsiw7rgb6D8HqcfAwDwYD
        VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
        zj0EAwIDRwAwRAIgGajrr5BgFnMWV+1uN8XZStR0BL0o1NZz8IMxI1P4W3oCIHGd
        aPmePNGjxinLOvsfA9PG4OaPJMUQo9Mi4tgCqBUF
        -----END CERTIFICATE-----

        """
    static let certificateKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgD83wCnxM0CY0hV2D
        HieAWQCMVATlFrpEvOh/2zDxpiOhRANCAAQQJOwYMWB2GeteicJpY33VmCL7P/zU
        iC4Iw1Pktq5yOBqR0KvWFT0BwyntqqODnKj4yQ9ZGhKcC0N+TtZv1+uc
        -----END PRIVATE KEY-----

        """
}

extension TestKeys {
    /// TLS of a server of HTTP/2 with the certificate.
    static func http2Context() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(certificateKey.utf8), format: .pem)))
        configuration.applicationProtocols = ["h2"]
        return try NIOSSLContext(configuration: configuration)
    }
}
