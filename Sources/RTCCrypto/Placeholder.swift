import CNIOBoringSSL
func x() -> Int { Int(CNIOBoringSSL_SSL_CTX_get_options(CNIOBoringSSL_SSL_CTX_new(CNIOBoringSSL_DTLS_method()))) }
