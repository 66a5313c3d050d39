import Testing

/// Keys and tokens that another library made (joserfc): the same claims by each kind of key.
///
/// `sub` is "alice", `name` "Alice", `aud` "duet"; `exp` is 300 s after ``PaperServer/now``, `nbf` and `iat` 10 s before.
enum TokenFixtures {
    struct Key: Sendable, CustomTestStringConvertible {
        let algorithm: String
        /// The public key.
        let pem: String
        /// The public key as a member of a set (RFC 7517).
        let jwk: String
        let token: String

        var testDescription: String { algorithm }
    }

    static let secret = "0123456789abcdef0123456789abcdef"
    static let hs256 = """
        eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSIsIm5hbWUiOiJBbGljZSIsImV4cCI6MTgwMDAwMDMwMCw\
        ibmJmIjoxNzk5OTk5OTkwLCJpYXQiOjE3OTk5OTk5OTAsImF1ZCI6ImR1ZXQifQ.NBkUgf42rn71T4eO858TEiji-MGYWJrh4zB0\
        rUYeVDg
        """

    static let keys = [rsa, p256, p384, p521, ed25519]

    static let rsa = Key(
        algorithm: "RS256",
        pem: """
            -----BEGIN PUBLIC KEY-----
            MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxE85iGq5bVjlMUHDo0lz
            E2lowcWCw7rLfMNNkoN261IYk8esXZPT71NuXjq9s8j5Sfihv84siPnEMBxQ+mjD
            PcD1hMOBvaEkjyUsljQycuFonGl7bPzyHneY8Yyy+c2A3Crq5YrvTpwDJ5xisCDB
            Xxr0j/6alcaGPdwbN90oPmZxhmhmtxVt4L9m+PyinyOkcyM/scQRPJRNXKBNEdDx
            i2iyLq+eLHa1qnts6p2o00bL3RlxGCraS67Cow+Nrfs8e8keUcEv+GNNpC8+S3zQ
            E/lK5LANzwJ3kmzY9ySzao+QBeRnCV8+CzKbr/ENfMYqI8d3giZri3GgsTR+zTBF
            fQIDAQAB
            -----END PUBLIC KEY-----
            """,
        jwk: #"""
            {"n":"xE85iGq5bVjlMUHDo0lzE2lowcWCw7rLfMNNkoN261IYk8esXZPT71NuXjq9s8j5Sfihv84siPnEMBxQ-mjDPcD1hMOBva\#
            EkjyUsljQycuFonGl7bPzyHneY8Yyy-c2A3Crq5YrvTpwDJ5xisCDBXxr0j_6alcaGPdwbN90oPmZxhmhmtxVt4L9m-PyinyOkcy\#
            M_scQRPJRNXKBNEdDxi2iyLq-eLHa1qnts6p2o00bL3RlxGCraS67Cow-Nrfs8e8keUcEv-GNNpC8-S3zQE_lK5LANzwJ3kmzY9y\#
            Szao-QBeRnCV8-CzKbr_ENfMYqI8d3giZri3GgsTR-zTBFfQ","e":"AQAB","kty":"RSA"}
            """#,
        token: """
            eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiIsImtpZCI6ImFueSJ9.eyJzdWIiOiJhbGljZSIsIm5hbWUiOiJBbGljZSIsImV4cCI\
            6MTgwMDAwMDMwMCwibmJmIjoxNzk5OTk5OTkwLCJpYXQiOjE3OTk5OTk5OTAsImF1ZCI6ImR1ZXQifQ.lA0eeEuiDYQ_OX6v29B1\
            xRckXvmY9oYtOGixoTN1ixV1mCr4yitvbAbZTG5Fw_TYwROG-vJ1QgaGOENEsOYjwEnGtNi8EBf3ng8Fxbnf8Jjg9yoj_IDcEqsh\
            2u5dFVaKGxh4OzuU_hsTludJ6jQ9czd223ckGu4uId4y5klxtVoK601Xlnx1xGCQqBdG0EyumwpY6Qee8hoRXKi_4BV7pkwohTet\
            EBFH6g--Gwuore_awGFZ54qZEqjqhU8AehtF17onblHorYCQTAFt0sNxdx_pBkafvvqu5DxmGHds-VHv4_YQyGfgIgAIW8H1EYue\
            oKKlHpn0_m_r7d4HyWkHng
            """)

    static let p256 = Key(
        algorithm: "ES256",
        pem: """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEF76GleJ6PgxOwTjO2zR9VT/WklNT
            n1NZ7lE5TLkX/Y4UayBWE6iEsdYWWyaPAh0EmHgkau/2E0xA8RIYqbuZIw==
            -----END PUBLIC KEY-----
            """,
        jwk: #"""
            {"crv":"P-256","x":"F76GleJ6PgxOwTjO2zR9VT_WklNTn1NZ7lE5TLkX_Y4","y":"FGsgVhOohLHWFlsmjwIdBJh4JGrv9h\#
            NMQPESGKm7mSM","kty":"EC"}
            """#,
        token: """
            eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiIsImtpZCI6ImFueSJ9.eyJzdWIiOiJhbGljZSIsIm5hbWUiOiJBbGljZSIsImV4cCI\
            6MTgwMDAwMDMwMCwibmJmIjoxNzk5OTk5OTkwLCJpYXQiOjE3OTk5OTk5OTAsImF1ZCI6ImR1ZXQifQ.GVqN3oDf1lDjoTU-b0vt\
            bxl_0SJexoDaL1OB2uhfPu-B61gXxgk1iqhLrpg3MZ3RAgXD3Vguv5g8rf2zcJ1gkg
            """)

    static let p384 = Key(
        algorithm: "ES384",
        pem: """
            -----BEGIN PUBLIC KEY-----
            MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE5k7F9IdMbweP1uWdsVYTnqbnGMSM/Sp4
            hJjp5ysb0rvC0sMZkacdz3AghRSmje/Rq0kuFKD3xQOAkAVgj9SSOKFW15hIBg+X
            1hJCEe2X2Fz8wVgak4k2ZbEZrNNICO7b
            -----END PUBLIC KEY-----
            """,
        jwk: #"""
            {"crv":"P-384","x":"5k7F9IdMbweP1uWdsVYTnqbnGMSM_Sp4hJjp5ysb0rvC0sMZkacdz3AghRSmje_R","y":"q0kuFKD3x\#
            QOAkAVgj9SSOKFW15hIBg-X1hJCEe2X2Fz8wVgak4k2ZbEZrNNICO7b","kty":"EC"}
            """#,
        token: """
            eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzM4NCIsImtpZCI6ImFueSJ9.eyJzdWIiOiJhbGljZSIsIm5hbWUiOiJBbGljZSIsImV4cCI\
            6MTgwMDAwMDMwMCwibmJmIjoxNzk5OTk5OTkwLCJpYXQiOjE3OTk5OTk5OTAsImF1ZCI6ImR1ZXQifQ.e4GJDgY_mbaiwgFczYzF\
            DLkdQdgVdXIMbXPTkXNDGBpDKvUjdhtbR7h1gYz2_1Dz1Hxu-E4jfUBcXSIrbCXUDsRtCgip0luWGgfbBqTOCt2fEHXvoWWReShw\
            2JeWOu1e
            """)

    static let p521 = Key(
        algorithm: "ES512",
        pem: """
            -----BEGIN PUBLIC KEY-----
            MIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAAQAtdx5x126HrOo2ACfC70x1aRr4qTa
            xOBDkTKTY5AgT9dyEFU/oi8+mwtEEXKfl7AyalHXPqZd9DT5j2A4uOs3pccArnGX
            8uLBETI+9k1gHBus3xUL20sOAuMvgzJ7EVW7DvxH6jX4NKlM9Gf2bobbbwlBsxGO
            vMHD3G3BCGGvoXl6+3M=
            -----END PUBLIC KEY-----
            """,
        jwk: #"""
            {"crv":"P-521","x":"ALXcecdduh6zqNgAnwu9MdWka-Kk2sTgQ5Eyk2OQIE_XchBVP6IvPpsLRBFyn5ewMmpR1z6mXfQ0-Y9g\#
            OLjrN6XH","y":"AK5xl_LiwREyPvZNYBwbrN8VC9tLDgLjL4MyexFVuw78R-o1-DSpTPRn9m6G228JQbMRjrzBw9xtwQhhr6F5e\#
            vtz","kty":"EC"}
            """#,
        token: """
            eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzUxMiIsImtpZCI6ImFueSJ9.eyJzdWIiOiJhbGljZSIsIm5hbWUiOiJBbGljZSIsImV4cCI\
            6MTgwMDAwMDMwMCwibmJmIjoxNzk5OTk5OTkwLCJpYXQiOjE3OTk5OTk5OTAsImF1ZCI6ImR1ZXQifQ.AT3rAQlu0EPmtoqxJ2MZ\
            ghBgYGT7Yg8H6pBNTYbEF0dcz-I58bB_nm6Pc788jZLrUcdnJrzzdKvqD7A4hMCI21SCAUPc81OlPCr9h4wVmFT-rYluxXd5wWad\
            ulGtQA58TMccjlC7c5ILxdoK6h97eWqCMA1vt0hM9YvjzFD-XMRMqaHp
            """)

    static let ed25519 = Key(
        algorithm: "EdDSA",
        pem: """
            -----BEGIN PUBLIC KEY-----
            MCowBQYDK2VwAyEAtv0K+aETu3c+m1spVHrWUq11ZCTy66PQGlZB2fANV1Y=
            -----END PUBLIC KEY-----
            """,
        jwk: #"""
            {"crv":"Ed25519","x":"tv0K-aETu3c-m1spVHrWUq11ZCTy66PQGlZB2fANV1Y","kty":"OKP"}
            """#,
        token: """
            eyJ0eXAiOiJKV1QiLCJhbGciOiJFZERTQSIsImtpZCI6ImFueSJ9.eyJzdWIiOiJhbGljZSIsIm5hbWUiOiJBbGljZSIsImV4cCI\
            6MTgwMDAwMDMwMCwibmJmIjoxNzk5OTk5OTkwLCJpYXQiOjE3OTk5OTk5OTAsImF1ZCI6ImR1ZXQifQ.AYV6z2Szw3kP8yJ7lZsE\
            R00Fr6b0bLF5KZvkJ5ZaCxKYa4S9oGnmeXK-6srHgpD9Mp4-NluSLoJT0qTjawn2DQ
            """)

    /// That of ``rsa``, by RSA's other algorithms.
    static let ps256 = """
        eyJ0eXAiOiJKV1QiLCJhbGciOiJQUzI1NiJ9.eyJzdWIiOiJhbGljZSIsIm5hbWUiOiJBbGljZSIsImV4cCI6MTgwMDAwMDMwMCw\
        ibmJmIjoxNzk5OTk5OTkwLCJpYXQiOjE3OTk5OTk5OTAsImF1ZCI6ImR1ZXQifQ.vNOBDJ0jmkCr6Qj3uA5uAl8Wuqynms2zMS_o\
        ytXqOvFTmRVyuKrBEkluTVl4ASSsOrtBnklpYHwlaVPLiokkA-eC4yJ10dov-32GNTS-tTXzicJe8G_u4DMgj30l5ZnaUs8qnjK-\
        1jqSxIJB6ICVx6O-eq5IuIEfhhk8YgwAO_-H_rP2CH5a3feAjKWNphTb9mwFCr-Zo53RaZ8RgCYhuvvd4ekX14tg3-q370ePUKpv\
        DgtXGXorfKe5OXdZ53A8sDddVrL5gPUZMP1lKA4nICNqDJ3N9CpQCnAV-paolrdRA9QH5xarEdH-w9aaLUo4CmJX2xVRmwYf6TBf\
        EfL5aw
        """
    static let rs512 = """
        eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzUxMiJ9.eyJzdWIiOiJhbGljZSIsIm5hbWUiOiJBbGljZSIsImV4cCI6MTgwMDAwMDMwMCw\
        ibmJmIjoxNzk5OTk5OTkwLCJpYXQiOjE3OTk5OTk5OTAsImF1ZCI6ImR1ZXQifQ.h5CNkX7DjtCHm9CPKCSujlOem-F6Fd46Hd1X\
        Uv7WX5D35yevFGIOM3A9r4eSzJNtXIKnkbnm9MltwyaBbHJyfkWkWV18Wh0KfLHjbZErivIzCGZNaVEFl4HeJ_1CuGln72C2HoxY\
        1fuWlHTWX3tpsUihN0d1ctX3vkFW-sAyuYU_TvvA4lYUo7pHw1tGAM5VOZLiRX4D1zwcoiFzktDv9Ubj_lk_xuQKMhsivjEtc87b\
        3uj2ynJRI9EvJ9BKhg3Y3dq1SyNmNp5vc2Ohogfu6JvCYfwVmRPQvYIIYfdH5eWukUfRkdIfElFNOOefjYIW5k0qaEWOPHP4Efpm\
        jPt-wQ
        """
}
