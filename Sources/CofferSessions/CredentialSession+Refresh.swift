import Coffer
import CofferCaches
import FoundationEssentials

extension CredentialSession {
    /// The access token for a request to the server. If it has expired, it is exchanged first.
    ///
    /// Tasks that overlap share one exchange. A task that comes late looks at the stored token again, and exchanges
    /// nothing. So a server that ends the former access token with each exchange refuses no request that is under way.
    /// Tasks share with the same session value and with its copies.
    /// ```swift
    /// let token = try await session.accessToken(reason: "Fetch your mail") { refreshToken in
    ///     try await mailServer.exchange(refreshToken)
    /// }
    /// ```
    /// - Parameter exchange: asks the server. Its tokens need no refresh token; then the present one stays. It must not
    ///   call this method or ``refresh(reason:_:)``: it would wait for itself.
    /// - Throws: as ``load(_:reason:)``, and as ``refresh(reason:_:)``. `.notFound` if there is no refresh token: the
    ///   person has to log in again.
    public func accessToken(
        reason: String? = nil, _ exchange: @escaping @Sendable (_ refreshToken: String) async throws -> SessionTokens
    ) async throws -> String {
        if let token = try await load([.accessToken], reason: reason).accessToken { return token }
        let tokens = try await shared { flight in
            try await storedOrExchanged(flight, reason, exchange)
        }
        return tokens.accessToken
    }

    /// Exchanges the refresh token for new tokens, and stores them. Only the tokens change.
    ///
    /// It exchanges even if the access token has not expired, for example because the server refuses it. For a request
    /// to the server, call ``accessToken(reason:_:)``.
    ///
    /// Calls that overlap share one exchange, because many servers end a session whose refresh token is used twice. They share it
    /// with the same session value and with its copies. A task that is cancelled stops waiting; an exchange that has begun goes on.
    /// ```swift
    /// let tokens = try await session.refresh { refreshToken in
    ///     try await mailServer.exchange(refreshToken)
    /// }
    /// ```
    /// - Parameter exchange: asks the server. Its tokens need no refresh token; then the present one stays. It must not
    ///   call this method or ``accessToken(reason:_:)``: it would wait for itself.
    /// - Returns: the tokens that are stored now, with the refresh token that is valid from now on.
    /// - Throws: `.notFound` if there is no refresh token; `.changedMeanwhile` if somebody logged out or stored other tokens during the
    ///   exchange, and then these are kept; what `exchange` throws; and as `Keychain/string(for:reason:applicationPassword:)`.
    @discardableResult
    public func refresh(
        reason: String? = nil, _ exchange: @escaping @Sendable (_ refreshToken: String) async throws -> SessionTokens
    ) async throws -> SessionTokens {
        while true {
            let tokens = try await shared { flight in
                let former = try await keychain.item(for: account(of: .refreshToken), reason: reason)
                return try await exchanged(former, flight, exchange)
            }
            // Otherwise nothing was exchanged: this call has joined one that found an access token in the vault.
            if tokens.refreshToken != nil { return tokens }
        }
    }

    private typealias Flight = Flights<ItemName, SessionTokens>.Number

    /// The tokens of the request that is under way, or of a new one.
    private func shared(
        _ request: @escaping @Sendable (Flight) async throws -> SessionTokens
    ) async throws -> SessionTokens {
        let key = name(.refreshToken)
        let found = try await refreshes.values(for: [key], joining: true) { _, flight in
            return [key: try await request(flight)]
        }
        guard let tokens = found[key] else { throw KeychainError(.failed, "the exchange gave no tokens") }
        return tokens
    }

    /// The access token that is in the vault by now, otherwise the tokens of an exchange.
    /// - Returns: without a refresh token if nothing was exchanged.
    private func storedOrExchanged(
        _ flight: Flight, _ reason: String?, _ exchange: @Sendable (String) async throws -> SessionTokens
    ) async throws -> SessionTokens {
        for _ in 0..<SessionLimits.rounds {
            // An exchange of another task or process may have ended since the caller looked.
            let present = try await present([.accessToken, .refreshToken])
            guard present[.accessToken] == nil else {
                let stored = try await load([.accessToken], reason: reason)
                guard let token = stored.accessToken else { continue }
                return SessionTokens(accessToken: token, expires: stored.accessTokenExpires)
            }
            let former = try await keychain.item(for: account(of: .refreshToken), reason: reason)
            // A later one came with an access token, which the server may end if the later one is exchanged.
            guard former.attributes.revision == present[.refreshToken]?.revision else { continue }
            return try await exchanged(former, flight, exchange)
        }
        throw KeychainError(
            .changedMeanwhile, "the login was changed again and again while it was renewed", advice: "try again")
    }

    private func exchanged(
        _ former: Item, _ flight: Flight, _ exchange: @Sendable (String) async throws -> SessionTokens
    ) async throws -> SessionTokens {
        // From here on the server may have spent the refresh token, so the new tokens are stored even if nobody waits any longer.
        guard refreshes.keepsGoing(flight) else { throw CancellationError() }
        let formerToken = try ItemCoding.string(former.value, former.attributes.name)
        var tokens = try await exchange(formerToken)
        let refreshToken = tokens.refreshToken ?? formerToken
        tokens.refreshToken = refreshToken
        // The condition keeps a logout that came during the exchange from being undone.
        _ = try await keychain.apply([
            set(.refreshToken, refreshToken, expires: nil, if: .isUnchanged(since: former.attributes)),
            set(.accessToken, tokens.accessToken, expires: tokens.expires),
        ])
        return tokens
    }
}
