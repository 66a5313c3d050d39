extension CertificateTests {
    // Made for these tests and used for nothing else.

    static let expiry: Int64 = 4_948_889_290
    static let fingerprint = """
        F4:58:00:A3:A0:A1:9C:CA:41:32:B5:1E:04:1A:67:4E:\
        50:BF:3D:ED:72:2B:C6:5F:15:17:0C:77:E6:44:71:1B
        """

    static let certificatePEM = """
        -----BEGIN CERTIFICATE-----
        MIIBfjCCASOgAwIBAgIUc588lu6vSrRXW+iFzfzh4ZS+xSMwCgYIKoZIzj0EAwIw
        EzERMA8GA1UEAwwIc3VwcGxpZWQwIBcNMjYxMTIxMTkyODEwWhgPMjEyNjEwMjgx
        OTI4MTBaMBMxETAPBgNVBAMMCHN1cHBsaWVkMFkwEwYHKoZIzj0CAQYIKoZIzj0D
        AQcDQgAELmGtWDDEtvZbD8VkdRwgNgBFokafj+24l8GayZyC7M7elIdmV8QIGMLk
        H2tecVljH9iPuNJKfaVObz8yvgijiKNTMFEwHQYDVR0OBBYEFAdG8PBy87gKXlGl
        cDDd8EBNm0RzMB8GA1UdIwQYMBaAFAdG8PBy87gKXlGlcDDd8EBNm0RzMA8GA1Ud
        EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAOsZDC1/aNJtUcaC0EzBfbgf
        xu/cyMXu0lLa4fFpGkPJAiEAkvRsnVCEbWVmlypYnPxmfFjiqSXXnmzgda/kC1L5
        jhE=
        -----END CERTIFICATE-----
        """

    static let keyPEM = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIAGPd78HA4US2labXPm/InuZI0yMHDzgDXrbGynGpeLEoAoGCCqGSM49
        AwEHoUQDQgAELmGtWDDEtvZbD8VkdRwgNgBFokafj+24l8GayZyC7M7elIdmV8QI
        GMLkH2tecVljH9iPuNJKfaVObz8yvgijiA==
        -----END EC PRIVATE KEY-----
        """

    /// The same key as PKCS #8.
    static let keyDER: [UInt8] = {
        let digits = """
            308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420018f77bf07038512da569b5c\
            f9bf227b99234c8c1c3ce00d7adb1b29c6a5e2c4a144034200042e61ad5830c4b6f65b0fc564751c20360045a2469f8f\
            edb897c19ac99c82eccede94876657c40818c2e41f6b5e7159631fd88fb8d24a7da54e6f3f32be08a388
            """
        let nibbles = digits.compactMap(\.hexDigitValue)
        return stride(from: 0, to: nibbles.count, by: 2).map { UInt8(nibbles[$0] << 4 | nibbles[$0 + 1]) }
    }()

    static let rsaCertificatePEM = """
        -----BEGIN CERTIFICATE-----
        MIIDCTCCAfGgAwIBAgIUcUAbaMocLSrgSi82rg6ywvm9uw0wDQYJKoZIhvcNAQEL
        BQAwEzERMA8GA1UEAwwIc3VwcGxpZWQwIBcNMjYxMTIxMTkyODEwWhgPMjEyNjEw
        MjgxOTI4MTBaMBMxETAPBgNVBAMMCHN1cHBsaWVkMIIBIjANBgkqhkiG9w0BAQEF
        AAOCAQ8AMIIBCgKCAQEAqQy2XhSqdzGLmYlHPvFQ3v/nBgFV7iyHqTPXbmIsEt2V
        BcAmQQYid5IG/06A/lZe0EcMYRPYp5R0m0Wl3D54mCSnqIQ9XGH2MFIyu2G4MRiW
        IvfafXd/x+1exs8W0n59nUogbUiXSmOtIWIRs43cH34PM7lX4x/5dFm5DuRvqzCb
        MDi2jTKmK5pOkKobwpveO10R2f5tijuNQ399rtz2AMrmmARh7c4l/s57bYnT5PU2
        o9z6hiCH1+GByUcDxYrF5xCCTDqKAM3xpvY9eW6XzdoSjIujfKO+fcdEL3op7dSP
        RkVoZSSyihsLeZr+j+YNXVXjQZjmNh5Sh3fUmDVYqQIDAQABo1MwUTAdBgNVHQ4E
        FgQUjP0NTyE8LQQN7MDSqjIMJMhS98QwHwYDVR0jBBgwFoAUjP0NTyE8LQQN7MDS
        qjIMJMhS98QwDwYDVR0TAQH/BAUwAwEB/zANBgkqhkiG9w0BAQsFAAOCAQEAIR+X
        wiUOSo4MbXRl1R6djB0uIIidy5wa2eYv1wwAjvtkaVWgWE9v4lSQ94tvol6adXev
        tqifAhieYt8l+6lQ1ztVSiK5HyhNo6P1avuwzGvkHhbY3UUCrQOE//IyhrlXxPwz
        Sbui3R+MfqXoEO5SHazbw/g4M3MlhBNZl6o0IJdDo23h8v77JC87r/ugUSVzggGD
        WfXzzjjChYUtDWg2UYi0c+z+DQ2abyjWmUCE/6jBYk2YxEDpJvVFJ2Awx4LLYj86
        TcsF6ObPkKbuLxaJYv4Ud8qrwkRFLUUtxyqLrLs0R1ChOCicEFg8xFWZ33HXDf1Q
        a5x6t6U774L7ghulaw==
        -----END CERTIFICATE-----
        """

    static let rsaKeyPEM = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEpAIBAAKCAQEAqQy2XhSqdzGLmYlHPvFQ3v/nBgFV7iyHqTPXbmIsEt2VBcAm
        QQYid5IG/06A/lZe0EcMYRPYp5R0m0Wl3D54mCSnqIQ9XGH2MFIyu2G4MRiWIvfa
        fXd/x+1exs8W0n59nUogbUiXSmOtIWIRs43cH34PM7lX4x/5dFm5DuRvqzCbMDi2
        jTKmK5pOkKobwpveO10R2f5tijuNQ399rtz2AMrmmARh7c4l/s57bYnT5PU2o9z6
        hiCH1+GByUcDxYrF5xCCTDqKAM3xpvY9eW6XzdoSjIujfKO+fcdEL3op7dSPRkVo
        ZSSyihsLeZr+j+YNXVXjQZjmNh5Sh3fUmDVYqQIDAQABAoIBAAHJiH6NY6F7uLz8
        cHBECx22cSX1Oug4GI2ThpwsRcjDxrTvO4BNvSzMMo59sRuvRFSZobH/jJd1+Hch
        SP//eZUrMwoTLtZkkz6eydpFDdZYCxNO0USpECToF6vMqfI7A983NslM/ot66wxK
        rgL61ZhQI/9BHwKf1opyPeSASgVya1IPxkfHNxI5TFpb/so9FkI809MsaZhJ7IyD
        fnytY2/6N5Vks5z4KuEBW9KgWHKubv1g+503X6NTa7ePH6QEVXmAD4vqyoyFWNWX
        Id0p5tKk/DQMBcEeUXVN2KrfX8wKUw3rhWxN3GOuXv2VfBwM/rsC0pG1c4BDPH+3
        QccZOPECgYEA4Pq/AjRO/qoxGiyqXIiCcyBDxDW+lNg4L3ViJa31XqcFf+KfroGS
        T+lzYkmyyhZ8hqv1mahFreXRxkUXK9gH0QRzNArYu1ORZhXBYggCePRvTLD+2wT3
        8XC+HrPCrMWL1LvC1zZc+APb1MojDhDimOdjPlA3LRprpRBLmzhGJfECgYEAwFvF
        95J7nEJTPRt/2ntPl/gyoqqsdyAzvDqhzOEJimBRgIfvWA2XMuV3nH5wENzg6JE+
        /iSo+tj2LTrQB4nDP5SYk90Jg+1s0K6jZK+gf6J7gG49jtLP713uOz9icm2P3SKd
        CuWckSyBv4AL17pqBNSy1YRs3kzL76pXx0KnRjkCgYEA2Q2RUpMc011nWhVVl0is
        cl3ig15GrFueeUsKkcevPs5s4+DEphukCSz1gRIRSB9BrLwii0hpUUi0hlEJ9ebK
        Q8HDU6ZTSwdo89Bxbh7EI+XPq3Hnr26vt2RKSFytqPo92dP8Op3cO/udD0KlZ2Cq
        /VHf0bKaSQ2AZRO/ndVA+EECgYAYK6/9gueLY/4noIv5PSNsOiDKtd2D/oThsxBf
        uStEuwOivfICQ3rrR1A3Vt/oDokoUA/1SU/+bULJvikjuVjSZW6irdSjQjM5KaiY
        X0UwpI8WPUP47V55enkT8swBCulX5SCMnPuGdmw7TvCuA9uMjdmG4OP5Lvc1P1dW
        T3bLaQKBgQC2PHtOPTIJ3jc3hWW63Vp32ei+PMveV6Hz1U1kRqTV/t+qmqtQ9R0g
        f2R+AKfezb3nLP0pVwBQvYG1XVZbDNkWagR2meyCoNC+XGKy7XSyVJBUjWPQy/k2
        D7AoG7WQ2bqCF+HeOgSDI2ixou4GEmm1u+meCEgR9TzgYqa4VgSS2w==
        -----END RSA PRIVATE KEY-----
        """
}
