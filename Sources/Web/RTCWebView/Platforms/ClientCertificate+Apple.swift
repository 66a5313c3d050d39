#if canImport(WebKit)
    import CoreFoundation
    import OAuth
    import Security

    extension ClientCertificate {
        /// The identity of the certificate and its key; `nil` if there is none, or the password is wrong.
        var identity: SecIdentity? {
            let password = Array(password.value.utf8)
            guard let data = CFDataCreate(nil, pkcs12, pkcs12.count),
                // kCFStringEncodingUTF8
                let passphrase = CFStringCreateWithBytes(nil, password, password.count, 0x0800_0100, false)
            else { return nil }
            var keys = kCFTypeDictionaryKeyCallBacks
            var values = kCFTypeDictionaryValueCallBacks
            guard let options = CFDictionaryCreateMutable(nil, 0, &keys, &values) else { return nil }
            CFDictionarySetValue(
                options, Unmanaged.passUnretained(kSecImportExportPassphrase).toOpaque(),
                Unmanaged.passUnretained(passphrase).toOpaque())
            // Otherwise macOS would store the key in the user's keychain permanently.
            if let isTrue = kCFBooleanTrue {
                CFDictionarySetValue(
                    options, Unmanaged.passUnretained(kSecImportToMemoryOnly).toOpaque(),
                    Unmanaged.passUnretained(isTrue).toOpaque())
            }
            var items: CFArray?
            guard SecPKCS12Import(data, options, &items) == 0, let items, CFArrayGetCount(items) > 0,
                let first = CFArrayGetValueAtIndex(items, 0)
            else { return nil }
            let item = Unmanaged<CFDictionary>.fromOpaque(first).takeUnretainedValue()
            guard
                let found = CFDictionaryGetValue(item, Unmanaged.passUnretained(kSecImportItemIdentity).toOpaque())
            else { return nil }
            return Unmanaged<SecIdentity>.fromOpaque(found).takeUnretainedValue()
        }
    }
#endif
