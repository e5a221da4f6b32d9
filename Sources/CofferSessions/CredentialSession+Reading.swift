import Coffer
import FoundationEssentials

/// What is known of a login without reading a secret.
///
/// ```swift
/// if try await session.state() == .needsRefresh { showBusy() }
/// ```
public enum SessionState: Sendable, Hashable {
    /// There are no credentials.
    case loggedOut
    /// There is an access token. nil: it does not expire.
    case active(until: Date?)
    /// The access token has expired or is missing, and a refresh token is there. It is exchanged by
    /// ``CredentialSession/accessToken(reason:_:)``.
    case needsRefresh
}

extension CredentialSession {
    /// The state of the login. Nobody is asked, and the vault may be locked.
    public func state() async throws(KeychainError) -> SessionState {
        let present = try await present([.accessToken, .refreshToken])
        if let token = present[.accessToken] { return .active(until: token.expires) }
        return present[.refreshToken] == nil ? .loggedOut : .needsRefresh
    }

    /// Whether there is an access token that is still valid, or a refresh token to fetch one with. Nobody is asked.
    public var isLoggedIn: Bool {
        get async throws(KeychainError) { try await state() != .loggedOut }
    }

    /// Whether the access token has expired or is missing. Nobody is asked.
    public var isExpired: Bool {
        get async throws(KeychainError) { try await present([.accessToken]).isEmpty }
    }

    /// Reads the login, or some parts of it, with one prompt at most. All parts come from one moment.
    ///
    /// A part that is not stored is nil. So is an access token that has expired.
    /// ```swift
    /// let login = try await session.load([.userName, .password], reason: "Sign you in")
    /// ```
    /// - Throws: as `Keychain/authenticate(for:reason:)`; `.changedMeanwhile` if other programs change the login again and again.
    public func load(
        _ parts: Set<CredentialPart> = Set(CredentialPart.allCases), reason: String? = nil
    ) async throws(KeychainError) -> Credentials {
        for _ in 0..<SessionLimits.rounds {
            let present = try await present(parts)
            guard !present.isEmpty else { return Credentials() }
            let accounts = CredentialPart.allCases.filter { present[$0] != nil }.map(account)
            let context: AuthenticationContext
            do throws(KeychainError) { context = try await keychain.authenticate(for: accounts, reason: reason) } catch
            {
                // A part was removed, or it expired, after it was looked up.
                guard error.code == .notFound else { throw error }
                continue
            }
            if let credentials = try credentials(present, in: context) { return credentials }
        }
        throw KeychainError(
            .changedMeanwhile, "the login was changed again and again while it was read", advice: "try again")
    }

    /// - Returns: nil if an item is no longer the one that was looked up. Then other parts may have come or gone, too.
    private func credentials(
        _ present: [CredentialPart: ItemAttributes], in context: AuthenticationContext
    ) throws(KeychainError) -> Credentials? {
        var credentials = Credentials()
        for (part, attributes) in present {
            let item = try context.item(for: account(of: part))
            guard item.attributes.id == attributes.id, item.attributes.version == attributes.version else { return nil }
            // The prompt may have taken longer than the token lives.
            if hasExpired(item.attributes) { continue }
            credentials[part] = try ItemCoding.string(item.value, item.attributes.name)
            if part == .accessToken { credentials.accessTokenExpires = item.attributes.expires }
        }
        return credentials
    }

    /// The parts that are stored and have not expired.
    func present(_ parts: Set<CredentialPart>) async throws(KeychainError) -> [CredentialPart: ItemAttributes] {
        // One call, so that all parts are from one moment.
        let query = ItemQuery(
            service: keychain.service, accounts: parts.map(account), itemClass: keychain.itemClass)
        let found = try await keychain.backend.items(matching: query, in: keychain.vault)
        let items = Dictionary(found.map { ($0.name, $0) }) { first, _ in first }
        var present: [CredentialPart: ItemAttributes] = [:]
        for part in parts {
            // An item may have other fields alone, and then the part has no value.
            guard let item = items[name(part)], item.fields.contains(where: { $0.name == .secret }), !hasExpired(item)
            else { continue }
            present[part] = item
        }
        return present
    }

    private func hasExpired(_ item: ItemAttributes) -> Bool { item.expires.map { $0 <= now() } ?? false }
}

enum SessionLimits {
    /// How often a login is read again because another program changed it.
    static let rounds = 8
}
