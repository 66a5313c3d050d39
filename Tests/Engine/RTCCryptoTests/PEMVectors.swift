/// Keys of ``SignatureVector`` in PEM, as another library wrote them.
enum PEMVectors {
    static let keys: [(vector: SignatureVector, pem: String)] = [
        (
            .rsa7515,
            """
            -----BEGIN PUBLIC KEY-----
            MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAofgWCuLjybRlzo0tZWJj
            NiuSfb4p4fAkd/wWJcyQoTbji9k0l8W26mPddxHmfHQp+Vaw+4qPCJrcS2mJPMEz
            P1Pt0Bm4d4QlL+yRT+SFd2lZS+pCgNMsD1W/YpRPEwOWvG6b32690r2jZ47soMZo
            9wGzjb/7OMg0LOL+bSf63kpaSHSXndS5z5rexMdbBYUsLA9e+KXBdQOS+UTo7WTB
            EMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6/I5IhlJH7aGhyxX
            FvUK+DWNmoudF8NAco9/h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXp
            oQIDAQAB
            -----END PUBLIC KEY-----
            """
        ),
        (
            .rsa7515,
            """
            -----BEGIN RSA PUBLIC KEY-----
            MIIBCgKCAQEAofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd/wWJcyQoTbji9k0l8W2
            6mPddxHmfHQp+Vaw+4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL+yRT+SFd2lZS+pCgNMs
            D1W/YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb/7OMg0LOL+bSf63kpaSHSXndS5
            z5rexMdbBYUsLA9e+KXBdQOS+UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxv
            b3qCo5ZwKh9kG4LT6/I5IhlJH7aGhyxXFvUK+DWNmoudF8NAco9/h9iaGNj8q2et
            hFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQIDAQAB
            -----END RSA PUBLIC KEY-----
            """
        ),
        (
            .p256,
            """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
            6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
            -----END PUBLIC KEY-----
            """
        ),
        (
            .p521,
            """
            -----BEGIN PUBLIC KEY-----
            MIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAAQB6SkFDxJPxrxVx9U5M2Xfne9KsMIs
            sleY+TTrBOPGuuNwGlenkQ6dgb82MVno68sVXWNJ9L22zPipTFxZx6rBAaQANKZE
            DjdnUNI3H9G9wsjztx0vTuXqNDLIFcyjFWD+XZOH7HdLVYOGMOXLv1qMvgqR3QBk
            xpmaH25uZ/rd7eTIyPY=
            -----END PUBLIC KEY-----
            """
        ),
        (
            .edwards,
            """
            -----BEGIN PUBLIC KEY-----
            MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
            -----END PUBLIC KEY-----
            """
        ),
    ]

    /// What is no public key that verifies here, and why.
    static let refused: [(why: String, pem: String)] = [
        (
            "RSA of 1,024 bits",
            """
            -----BEGIN PUBLIC KEY-----
            MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCuirCGnmbo051Cvxgljsv0Tc8S
            z210NzNG4IJQADWrO0ShdstmeBPW6Dmr8s+yIp9vWqjcarY01g4AnmyYE9LERSvh
            qj9zRlNRYiKrGldIY41d7M4oEe7ZDHd2HfTWkCXWc5x5jrlTX+80WLtMBOPxMDER
            VlqqPPI3OULbmo0imQIDAQAB
            -----END PUBLIC KEY-----
            """
        ),
        (
            "secp256k1",
            """
            -----BEGIN PUBLIC KEY-----
            MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEaTpsGBieHb+J2GCd8ax5nEI6P/zsbikD
            FKkIOTPPo22lUuKCXvdLRZPZh4ffEm0oKkIUKh5q0EHLxffwKAyV4g==
            -----END PUBLIC KEY-----
            """
        ),
        (
            "X25519",
            """
            -----BEGIN PUBLIC KEY-----
            MCowBQYDK2VuAyEAY/RO8AHU4JRD7bXNxFEMHbEimJMQttTCt4TOMIL6Dn0=
            -----END PUBLIC KEY-----
            """
        ),
        (
            "a private key",
            """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIBqYMGZD7GIkigiVm+c9sK4Lrreov7WI4zCNq/KjQZW9
            -----END PRIVATE KEY-----
            """
        ),
        (
            "nothing in it",
            """
            -----BEGIN PUBLIC KEY-----
            AAAA
            -----END PUBLIC KEY-----
            """
        ),
        (
            "no PEM",
            """
            MCowBQYDK2VwAyEA
            """
        ),
    ]
}
