internal import Synchronization

extension OAuthClient {
    /// Who is signed in; `nil` if nobody is, or without OpenID.
    ///
    /// - Throws: ``OAuthError`` of the store.
    public func identity() async throws -> Identity? {
        try await restore()
        return state.withLock { $0.keeper.tokens?.identity }
    }

    /// Whether there are tokens. They may have been revoked since.
    public func isSignedIn() async throws -> Bool {
        try await restore()
        return state.withLock { $0.keeper.tokens != nil }
    }

    /// An access token that lasts, renewed if need be. Whoever asks while it is being renewed waits for the same.
    ///
    /// - Parameter rejected: One that a server did not accept: it is renewed though it should have lasted.
    /// - Throws: ``OAuthError`` `notSignedIn`, `refreshRefused`, those of a token response, the ID token and the
    ///   network.
    public func accessToken(insteadOf rejected: Secret? = nil) async throws -> Secret {
        try await restore()
        let tokens: TokenSet = try await withCheckedThrowingContinuation { continuation in
            let decision = state.withLock { state -> Decision in
                let answer = state.keeper.ask(now: now(), rejected: rejected)
                if case .use(let tokens) = answer { return .tell(.success(tokens)) }
                if case .signIn = answer {
                    return .tell(.failure(OAuthError(.notSignedIn, "nobody is signed in: sign in first")))
                }
                // Whoever begins the refresh waits for it like all others: it goes on if its task is cancelled, for a
                // new refresh token that nobody took would be the end of the session.
                let number: Int
                if case .wait(let waiter) = answer { number = waiter } else { number = state.keeper.join() }
                state.waiters[number] = continuation
                if case .refresh(let token) = answer { return .refresh(token) }
                return .wait
            }
            switch decision {
            case .tell(let result): continuation.resume(with: result)
            case .refresh(let token): Task { await self.refresh(token, rejected) }
            case .wait: break
            }
        }
        return tokens.accessToken
    }

    private enum Decision {
        case tell(Result<TokenSet, any Error>)
        case refresh(Secret)
        case wait
    }

    /// Looks once at what the store has.
    func restore() async throws {
        guard state.withLock({ !$0.isRestored }) else { return }
        let bytes = try await store.read(storeKey)
        state.withLock { state in
            guard !state.isRestored else { return }
            state.isRestored = true
            if let tokens = bytes.flatMap(TokenSet.init(stored:)) { state.keeper.signIn(tokens) }
        }
    }

    /// The one refresh that is in flight.
    private func refresh(_ token: Secret, _ rejected: Secret?) async {
        let result: Result<TokenSet, any Error>
        do {
            result = .success(
                try await store.exclusively(storeKey) { try await self.renewed(token, rejected) })
        } catch {
            result = .failure(error)
        }
        var told = result
        let waiters = state.withLock { state in
            let numbers: [Int]
            switch result {
            case .success(let tokens): numbers = state.keeper.finish(.refreshed(tokens))
            case .failure(let error as OAuthError) where error.code.endsSession: numbers = state.keeper.finish(.ended)
            case .failure:
                // Not renewed, and not yet at its end: still better than none.
                if let tokens = state.keeper.tokens, !tokens.isExpired(at: now()), tokens.accessToken != rejected {
                    told = .success(tokens)
                }
                numbers = state.keeper.finish(.failed)
            }
            return numbers.compactMap { state.waiters.removeValue(forKey: $0) }
        }
        for waiter in waiters { waiter.resume(with: told) }
    }

    private func renewed(_ token: Secret, _ rejected: Secret?) async throws -> TokenSet {
        var before = state.withLock { $0.keeper.tokens }
        // Another process may have renewed them meanwhile, and the old refresh token with them.
        if let kept = try await store.read(storeKey).flatMap(TokenSet.init(stored:)) {
            if kept.refreshToken != token, kept.isUsable(at: now()), kept.accessToken != rejected { return kept }
            before = kept
        }
        let metadata = try await knowledge.metadata()
        let asked = now()
        do {
            let answer = try TokenResponse(
                parsing: try await transport.send(
                    RefreshRequest.make(before?.refreshToken ?? token, configuration, metadata)),
                of: metadata.issuer, grant: .refresh)
            let identity = try await identity(
                answer, metadata, nonce: nil, subject: before?.identity?.subject, asked: asked)
            let tokens = answer.tokens(identity: identity, before: before, now: now())
            try await store.write(tokens.stored, for: storeKey)
            return tokens
        } catch let error as OAuthError where error.code.endsSession {
            try? await store.remove(storeKey)
            throw error
        }
    }
}

extension OAuthError.Code {
    /// Whether after this error of a refresh nothing is left to refresh with.
    fileprivate var endsSession: Bool { self == .refreshRefused || self == .subjectChanged }
}
