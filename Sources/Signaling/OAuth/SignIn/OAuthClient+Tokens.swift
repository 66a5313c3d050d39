internal import Synchronization

extension OAuthClient {
    /// Returns the identity of the person who is signed in; `nil` if nobody is, or without OpenID Connect.
    ///
    /// - Throws: ``OAuthError`` of the store.
    public func identity() async throws -> Identity? {
        try await restore()
        return state.withLock { $0.coordinator.tokens?.identity }
    }

    /// Returns whether there are tokens. They may have been revoked meanwhile.
    public func isSignedIn() async throws -> Bool {
        try await restore()
        return state.withLock { $0.coordinator.tokens != nil }
    }

    /// Returns a valid access token, refreshed if necessary. Concurrent callers share one refresh.
    ///
    /// - Parameter rejected: An access token that a server rejected: it is refreshed although it has not expired.
    /// - Throws: ``OAuthError`` `notSignedIn`, `refreshRefused`, `subjectChanged` if another person has signed in on
    ///   this machine meanwhile; errors of the token response, the ID token and the network; `CancellationError` in a task that is
    ///   cancelled, while the refresh goes on.
    public func accessToken(insteadOf rejected: Secret? = nil) async throws -> Secret {
        let place = Place()
        return try await withTaskCancellationHandler {
            try await tokens(insteadOf: rejected, at: place).accessToken
        } onCancel: {
            leave(place)
        }
    }

    /// Waits for a refresh in progress, in a task that is cancelled too.
    func waitForRefresh() async {
        _ = try? await tokens(insteadOf: nil, at: nil)
    }

    /// The place of a caller among the waiters.
    private final class Place: Sendable {
        let number = Mutex<Int?>(nil)
    }

    /// - Parameter place: Where a cancellation finds the caller; `nil` for one that waits nevertheless.
    private func tokens(insteadOf rejected: Secret?, at place: Place?) async throws -> TokenSet {
        try await restore()
        await writeAgain()
        return try await withCheckedThrowingContinuation { continuation in
            let decision = state.withLock { state -> Decision in
                // A later cancellation finds the place.
                if place != nil, Task.isCancelled { return .tell(.failure(CancellationError())) }
                let answer = state.coordinator.ask(now: now(), rejected: rejected)
                if case .use(let tokens) = answer { return .tell(.success(tokens)) }
                if case .signIn = answer {
                    return .tell(.failure(OAuthError(.notSignedIn, "nobody is signed in: sign in first")))
                }
                // The caller that starts the refresh waits like all others: the refresh continues if that task is cancelled,
                // because losing the new refresh token would end the session.
                let number: Int
                if case .wait(let waiter) = answer { number = waiter } else { number = state.coordinator.join() }
                state.waiters[number] = continuation
                place?.number.withLock { $0 = number }
                if case .refresh(let token, let session) = answer { return .refresh(token, session) }
                return .wait
            }
            switch decision {
            case .tell(let result): continuation.resume(with: result)
            case .refresh(let token, let session): Task { await self.refresh(token, of: session, rejected) }
            case .wait: break
            }
        }
    }

    private func leave(_ place: Place) {
        let waiter = state.withLock { state in
            place.number.withLock { $0 }.flatMap { state.waiters.removeValue(forKey: $0) }
        }
        waiter?.resume(throwing: CancellationError())
    }

    private enum Decision {
        case tell(Result<TokenSet, any Error>)
        case refresh(Secret, TokenCoordinator.Session)
        case wait
    }

    /// Reads the store, once.
    func restore() async throws {
        guard state.withLock({ !$0.isRestored }) else { return }
        let bytes = try await store.read(storeKey)
        state.withLock { state in
            guard !state.isRestored else { return }
            state.isRestored = true
            if let tokens = bytes.flatMap(TokenSet.init(stored:)) { state.coordinator.signIn(tokens) }
        }
    }

    /// Performs the refresh; there is only one at a time.
    private func refresh(_ token: Secret, of session: TokenCoordinator.Session, _ rejected: Secret?) async {
        let result: TokenCoordinator.Result
        var told: Result<TokenSet, any Error>
        do {
            switch try await store.exclusively(storeKey, { try await self.renewed(token, of: session, rejected) }) {
            case .verified(let tokens): (result, told) = (.refreshed(tokens), .success(tokens))
            case .unchecked(let rotated, let error): (result, told) = (.failed(rotated), .failure(error))
            case .otherUser:
                let error = OAuthError(
                    .subjectChanged,
                    "somebody else has signed in on this machine since: sign in again, or stay signed out")
                (result, told) = (.failed(nil), .failure(error))
            }
        } catch let error as OAuthError where error.code.endsSession {
            (result, told) = (.ended, .failure(error))
        } catch {
            (result, told) = (.failed(nil), .failure(error))
        }
        let waiters = state.withLock { state in
            let numbers = state.coordinator.finish(result, of: session)
            // Not refreshed, but the previous access token is still valid.
            if case .failed = result, let tokens = state.coordinator.tokens, !tokens.isExpired(at: now()),
                tokens.accessToken != rejected
            {
                told = .success(tokens)
            }
            return numbers.compactMap { state.waiters.removeValue(forKey: $0) }
        }
        for waiter in waiters { waiter.resume(with: told) }
    }

    private enum RefreshOutcome: Sendable {
        case verified(TokenSet)
        /// The server has used up the refresh token, and its response could not be verified: only the new refresh token is kept,
        /// without which the session would end.
        case unchecked(TokenSet, any Error)
        /// The store has the tokens of another user, which are not changed.
        case otherUser
    }

    private func renewed(
        _ token: Secret, of session: TokenCoordinator.Session, _ rejected: Secret?
    ) async throws -> RefreshOutcome {
        let kept = try await store.read(storeKey)
        guard kept != nil || hasEmptiedStore else {
            throw OAuthError(.notSignedIn, "somebody signed out: sign in again")
        }
        var before = state.withLock { $0.coordinator.tokens }
        // Another process may have refreshed them meanwhile, which has used up the old refresh token.
        if let kept = kept.flatMap(TokenSet.init(stored:)), !isSpent(kept) {
            if let before, before.identity?.subject != kept.identity?.subject { return .otherUser }
            if kept.refreshToken != token, kept.isUsable(at: now()), kept.accessToken != rejected {
                return .verified(kept)
            }
            before = kept
        }
        let metadata = try await metadataCache.metadata()
        // A refresh token can be used once, so everything else has to be available before.
        if configuration.isOpenID { try await metadataCache.requireKeys(metadata) }
        let asked = now()
        do {
            let answer = try TokenResponse(
                parsing: try await transport.send(
                    RefreshRequest.make(before?.refreshToken ?? token, configuration, metadata)),
                of: metadata.issuer, grant: .refresh)
            let renewal = try await check(answer, metadata, before: before, asked: asked)
            // If somebody has signed in meanwhile, the store has other tokens.
            guard state.withLock({ $0.coordinator.session == session }) else { return renewal }
            switch renewal {
            case .verified(let tokens), .unchecked(let tokens, _):
                await keep(tokens, of: session, insteadOf: kept.flatMap(TokenSet.init(stored:))?.refreshToken)
            case .otherUser: break
            }
            return renewal
        } catch let error as OAuthError where error.code.endsSession {
            if state.withLock({ $0.coordinator.session == session }) { try? await store.remove(storeKey) }
            throw error
        }
    }

    /// Stores refreshed tokens, and keeps them in memory if that fails, because the stored refresh token is used up. If storing
    /// keeps failing, the store is emptied: another process would otherwise send the used refresh token, which a server treats as
    /// theft.
    private func keep(_ tokens: TokenSet, of session: TokenCoordinator.Session, insteadOf usedRefreshToken: Secret?)
        async
    {
        state.withLock { state in
            let isEmptied = state.unwritten?.isStoreEmptied == true
            state.unwritten = UnwrittenTokens(
                tokens: tokens, session: session, usedRefreshToken: usedRefreshToken, isStoreEmptied: isEmptied)
        }
        for pause in Self.pausesBeforeWriting {
            if pause > .zero { try? await sleep(pause) }
            guard (try? await store.write(tokens.stored, for: storeKey)) != nil else { continue }
            return state.withLock { state in
                if state.unwritten?.tokens == tokens { state.unwritten = nil }
            }
        }
        guard (try? await store.remove(storeKey)) != nil else { return }
        state.withLock { state in
            if state.unwritten?.tokens == tokens { state.unwritten?.isStoreEmptied = true }
        }
    }

    /// For a keychain that is locked for a moment, or a file that another program has locked. Callers wait meanwhile.
    private static let pausesBeforeWriting: [Duration] = [
        .zero, .milliseconds(50), .milliseconds(200), .milliseconds(750),
    ]

    /// Whether this client has emptied the store.
    private var hasEmptiedStore: Bool {
        state.withLock { state in
            guard let unwritten = state.unwritten, unwritten.session == state.coordinator.session else { return false }
            return unwritten.isStoreEmptied
        }
    }

    /// Stores the tokens of the last refresh that could not be stored, unless somebody else has written since.
    private func writeAgain() async {
        let left = state.withLock { state -> UnwrittenTokens? in
            guard let left = state.unwritten, !state.isWritingAgain, !state.coordinator.isRefreshing else { return nil }
            state.isWritingAgain = true
            return left
        }
        guard let left else { return }
        try? await store.exclusively(storeKey) {
            guard self.state.withLock({ $0.unwritten?.tokens == left.tokens }) else { return }
            let kept = try await self.store.read(self.storeKey).flatMap(TokenSet.init(stored:))
            if kept.map(self.isSpent) ?? self.hasEmptiedStore {
                await self.keep(left.tokens, of: left.session, insteadOf: left.usedRefreshToken)
            } else {
                self.state.withLock { $0.unwritten = nil }
            }
        }
        state.withLock { $0.isWritingAgain = false }
    }

    /// Whether these stored tokens have a used refresh token: newer ones are in memory.
    private func isSpent(_ kept: TokenSet) -> Bool {
        state.withLock { state in
            guard let unwritten = state.unwritten, unwritten.session == state.coordinator.session else { return false }
            return unwritten.usedRefreshToken != nil && kept.refreshToken == unwritten.usedRefreshToken
        }
    }

    private func check(
        _ answer: TokenResponse, _ metadata: ServerMetadata, before: TokenSet?, asked: UnixTime
    ) async throws -> RefreshOutcome {
        do {
            let identity = try await identity(
                answer, metadata, nonce: nil, subject: before?.identity?.subject, asked: asked)
            return .verified(answer.tokens(identity: identity, before: before, now: now()))
        } catch {
            if let error = error as? OAuthError, error.code.endsSession { throw error }
            guard let before, let refreshToken = answer.refreshToken else { throw error }
            return .unchecked(before.rotated(to: refreshToken), error)
        }
    }
}

extension OAuthError.Code {
    /// Whether a refresh that failed with this error cannot be repeated.
    fileprivate var endsSession: Bool {
        self == .refreshRefused || self == .subjectChanged || self == .notSignedIn
    }
}
