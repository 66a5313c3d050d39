/// Certificates of an authority that only these tests know. They are valid until 2120, but for the one that has expired.
enum TestCertificates {
    /// Signs the two below.
    static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBYzCCAQmgAwIBAgIUSYgNOSadqDSUyABOJ4zFIQD24qwwCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTRHVldCB0ZXN0IGF1dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBa
        GA8yMTIwMDEwMTAwMDAwMFowHjEcMBoGA1UEAwwTRHVldCB0ZXN0IGF1dGhvcml0
        eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAELR0GhdMrVHT9tFO20LueIV/6I
        /li+lnEFi/fS/2dskXJEkGW9+UdHR9bnWI2M8jQvuFWEuzMDy/LYMF3c3HWjIzAh
        MA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49BAMCA0gA
        MEUCIHXvgyw8k1n+iaKn4v73pnwZMKXDmQu/Fxj16mPFp2U+AiEA3hbZDQLzK9o2
        lhfSFLD2Dov9FzgogPMVjeeEJKOt5ys=
        -----END CERTIFICATE-----
        """

    /// Signs nothing.
    static let otherAuthority = """
        -----BEGIN CERTIFICATE-----
        MIIBYDCCAQWgAwIBAgIUKJdbx+dDuSdm2bv4UzLWQ4OSQ3MwCgYIKoZIzj0EAwIw
        HDEaMBgGA1UEAwwRQW5vdGhlciBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgP
        MjEyMDAxMDEwMDAwMDBaMBwxGjAYBgNVBAMMEUFub3RoZXIgYXV0aG9yaXR5MFkw
        EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEhaadfz+9Y429YGX59Ov2bsqrFQbuSNxW
        Uej7rUeTeNZwcTDs/+W5SX1IBVZGznjaAPSXOXqbLZxp7m3MyBSBoKMjMCEwDwYD
        VR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwCgYIKoZIzj0EAwIDSQAwRgIh
        AJKnYKGHUn+aCq8Aa7wjNPgG/TvQ+XHkhFeC3MreT08GAiEAjjrngf6flap5Eiqj
        mnnfUqItrBDhE8W35mRBgOde8mw=
        -----END CERTIFICATE-----
        """

    /// For turn.example, localhost, 127.0.0.1 and ::1.
    static let server = """
        -----BEGIN CERTIFICATE-----
        MIIBizCCATKgAwIBAgIUdiTmnzq7r1YmvLAKmv8cVJJy61IwCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTRHVldCB0ZXN0IGF1dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBa
        GA8yMTIwMDEwMTAwMDAwMFowFzEVMBMGA1UEAwwMdHVybi5leGFtcGxlMFkwEwYH
        KoZIzj0CAQYIKoZIzj0DAQcDQgAElW/FDHIKD5c+9sfsXUayCRjY4x3YJDr8OSFo
        9U2YhkHmesR3bbiG8IPu+denGH3SCbqgODH36CP5lF7D+GvAbKNTMFEwOgYDVR0R
        BDMwMYIMdHVybi5leGFtcGxlgglsb2NhbGhvc3SHBH8AAAGHEAAAAAAAAAAAAAAA
        AAAAAAEwEwYDVR0lBAwwCgYIKwYBBQUHAwEwCgYIKoZIzj0EAwIDRwAwRAIgFtvx
        cS6wPku0cM161Hevb/REuhR7+zmoygFD2FP5aRQCIEolykIce7UasGXKEq2A0uei
        lI5OCzbPLOm8U+Mp7gVm
        -----END CERTIFICATE-----
        """

    /// The key of `server`.
    static let serverKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgQFjiZjIqucAgJLTE
        i9LHyEDLhOZSFXSJmOT1TVBY2mqhRANCAASVb8UMcgoPlz72x+xdRrIJGNjjHdgk
        Ovw5IWj1TZiGQeZ6xHdtuIbwg+7516cYfdIJuqA4MffoI/mUXsP4a8Bs
        -----END PRIVATE KEY-----
        """

    /// For the same names, until 2021.
    static let expired = """
        -----BEGIN CERTIFICATE-----
        MIIBijCCATCgAwIBAgIULNBOGIS675zRdjqxNZvnvcbliaswCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTRHVldCB0ZXN0IGF1dGhvcml0eTAeFw0yMDAxMDEwMDAwMDBa
        Fw0yMTAxMDEwMDAwMDBaMBcxFTATBgNVBAMMDHR1cm4uZXhhbXBsZTBZMBMGByqG
        SM49AgEGCCqGSM49AwEHA0IABL4Ty38q4osfCS8Z0PnglRbQoeEB+ejktSKzXVuq
        xUnuZ+UnJDc/qD0gUe4X/WX66F4zwrQNNS1WrzFGReq3ONmjUzBRMDoGA1UdEQQz
        MDGCDHR1cm4uZXhhbXBsZYIJbG9jYWxob3N0hwR/AAABhxAAAAAAAAAAAAAAAAAA
        AAABMBMGA1UdJQQMMAoGCCsGAQUFBwMBMAoGCCqGSM49BAMCA0gAMEUCIQDx+LCl
        zNUs86MfBCls2cddMX0JwD9wa4pV+f4eKi0rnQIgeCL1Ac2n3zhWHk3ermDnWgFA
        oUMWAZ4W5EKERL1kqBE=
        -----END CERTIFICATE-----
        """

    /// The key of `expired`.
    static let expiredKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgZcF0Y/TdDgpWZtgg
        Obo7Do2N44bfXsiTl5NoG0hicvKhRANCAAS+E8t/KuKLHwkvGdD54JUW0KHhAfno
        5LUis11bqsVJ7mflJyQ3P6g9IFHuF/1l+uheM8K0DTUtVq8xRkXqtzjZ
        -----END PRIVATE KEY-----
        """
}
