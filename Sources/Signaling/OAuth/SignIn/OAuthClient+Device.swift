extension OAuthClient {
    /// Requests a code that the person enters on another device: RFC 8628.
    ///
    /// - Throws: ``OAuthError`` `unsupported`, or a network error.
    public func requestDeviceCode() async throws -> DeviceAuthorization {
        try await restore()
        let metadata = try await metadataCache.metadata()
        let request = try DeviceAuthorization.request(configuration, metadata)
        return try DeviceAuthorization(
            parsing: try await transport.send(request), of: metadata.issuer, now: now())
    }

    /// Waits until the person has entered the code.
    ///
    /// - Throws: ``OAuthError`` `deviceCodeExpired`, `accessDenied`, or an error of the tokens. `CancellationError`.
    @discardableResult
    public func signIn(with device: DeviceAuthorization) async throws -> Identity? {
        let metadata = try await metadataCache.metadata()
        var device = device
        let asked = now()
        while true {
            let pause = device.nextPoll.seconds - now().seconds
            // Both are whole seconds, rounded down: the current one may be almost over, and servers count exactly.
            if pause > 0 { try await sleep(.seconds(pause + 1)) }
            guard let answer = try device.handle(try await poll(device, metadata), now: now()) else { continue }
            // The device flow has no nonce.
            return try await finish(answer, metadata, nonce: nil, asked: asked)
        }
    }

    /// - Returns: `nil` if the server or its keys cannot be reached: the response may contain the tokens, which are returned once
    ///   and could not be verified without the keys.
    private func poll(_ device: DeviceAuthorization, _ metadata: ServerMetadata) async throws -> OAuthResponse? {
        if configuration.isOpenID {
            do {
                try await metadataCache.requireKeys(metadata)
            } catch let error as OAuthError where error.code.isTransient || error.code == .keysFetchedTooOften {
                return nil
            }
        }
        do {
            return try await transport.send(device.poll(configuration, metadata))
        } catch let error as OAuthError where error.code == .timedOut || error.code == .unreachable {
            return nil
        }
    }
}
