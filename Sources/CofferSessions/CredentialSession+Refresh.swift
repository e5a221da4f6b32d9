import Coffer
import FoundationEssentials

extension CredentialSession {
    /// Exchanges the refresh token for new tokens, and stores them. Only the tokens change.
    ///
    /// Calls that overlap share one exchange, because many servers end a session whose refresh token is used twice. They share it
    /// with the same session value and with its copies. A task that is cancelled stops waiting; an exchange that has begun goes on.
    /// ```swift
    /// let tokens = try await session.refresh { refreshToken in
    ///     try await mailServer.exchange(refreshToken)
    /// }
    /// ```
    /// - Parameter exchange: asks the server. Its tokens need no refresh token; then the present one stays.
    /// - Returns: the tokens that are stored now, with the refresh token that is valid from now on.
    /// - Throws: `.notFound` if there is no refresh token; `.changedMeanwhile` if somebody logged out or stored other tokens during the
    ///   exchange, and then these are kept; what `exchange` throws; and as `Keychain/string(for:reason:applicationPassword:)`.
    @discardableResult
    public func refresh(
        reason: String? = nil, _ exchange: @escaping @Sendable (_ refreshToken: String) async throws -> SessionTokens
    ) async throws -> SessionTokens {
        let key = name(.refreshToken)
        let found = try await refreshes.values(for: [key], joining: true) { _, flight in
            let former = try await keychain.item(for: account(of: .refreshToken), reason: reason)
            // From here on the server may have spent the refresh token, so the new tokens are stored even if nobody waits any longer.
            guard refreshes.keepsGoing(flight) else { throw CancellationError() }
            return [key: try await exchanged(former, exchange)]
        }
        guard let tokens = found[key] else { throw KeychainError(.failed, "the exchange gave no tokens") }
        return tokens
    }

    private func exchanged(
        _ former: Item, _ exchange: @Sendable (String) async throws -> SessionTokens
    ) async throws -> SessionTokens {
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
