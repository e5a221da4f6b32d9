import Coffer
import FoundationEssentials

/// What happens to the data of a service when its user logs out, and when they close their account.
///
/// ```swift
/// let life = ServiceLifeCycle(
///     keychain: keychain, sessions: [session],
///     personal: [profiles],          // a Repository
///     lasting: [users])              // a HybridStore
/// try await life.logout()              // users stay
/// try await life.deleteEverything()    // nothing stays
/// ```
public struct ServiceLifeCycle: Sendable {
    /// Where the service's items are.
    public let keychain: Keychain
    private let sessions: [CredentialSession]
    private let personal: [any ServiceData]
    private let lasting: [any ServiceData]

    /// - Parameters:
    ///   - keychain: of the service.
    ///   - sessions: the logins that ``logout()`` ends.
    ///   - personal: what a logout deletes too, such as caches.
    ///   - lasting: what only ``deleteEverything()`` deletes, such as records of a `HybridStore`, and keychains of groups.
    public init(
        keychain: Keychain, sessions: [CredentialSession] = [], personal: [any ServiceData] = [],
        lasting: [any ServiceData] = []
    ) {
        self.keychain = keychain
        self.sessions = sessions
        self.personal = personal
        self.lasting = lasting
    }

    /// Ends the logins, each one whole, and empties what is personal. Nobody is asked.
    /// - Throws: what could not be deleted. Everything else is deleted; call it again for the rest.
    public func logout() async throws(ServiceDeletionError) {
        var failures: [ServiceDeletionError.Failure] = []
        for session in sessions {
            do throws(KeychainError) { try await session.logout() } catch {
                failures.append(.init("\(CredentialSession.self)", error))
            }
        }
        failures += await delete(personal)
        try ServiceDeletionError.check(failures)
    }

    /// Deletes everything of the service: its items of every class but settings in the keychain's vault, what is
    /// personal, and what lasts. Nobody is asked. Name a `SyncedSettings` as lasting: it deletes settings in the vault.
    ///
    /// Items come first. Protected files cannot be opened once the items with their keys are gone.
    /// - Throws: what could not be deleted. Everything else is deleted; call it again for the rest.
    public func deleteEverything() async throws(ServiceDeletionError) {
        // What is personal must not be filled again from what is deleted below.
        let failures = await delete(personal) + delete([keychain]) + delete(lasting)
        try ServiceDeletionError.check(failures)
    }

    /// One that fails keeps no other from being deleted.
    private func delete(_ data: [any ServiceData]) async -> [ServiceDeletionError.Failure] {
        var failures: [ServiceDeletionError.Failure] = []
        for one in data {
            do { try await one.deleteEverything(of: keychain.service) } catch {
                failures.append(.init("\(type(of: one))", error))
            }
        }
        return failures
    }
}

/// Some data of a service could not be deleted.
///
/// ```swift
/// do throws(ServiceDeletionError) {
///     try await lifeCycle.deleteEverything()
/// } catch {
///     for failure in error.failures { print(failure.error) }
/// }
/// ```
public struct ServiceDeletionError: Error, Sendable, CustomStringConvertible {
    /// What is still there, and why.
    public struct Failure: Sendable {
        /// The type of the data: `Keychain`, `Settings`.
        public let data: String
        /// Why that part failed.
        public let error: any Error

        init(_ data: String, _ error: any Error) {
            self.data = data
            self.error = error
        }
    }

    /// Each part that failed. All other parts are done.
    public let failures: [Failure]

    /// What happened, in words for a person.
    public var message: String {
        let list = failures.map { "\($0.data): \($0.error)" }.joined(separator: "; ")
        return "some data of the service is still there (\(list))"
    }

    /// What to do about it, in words for a person.
    public var advice: String { "try again" }

    /// The message, then the advice.
    public var description: String { "\(message); \(advice)" }

    static func check(_ failures: [Failure]) throws(ServiceDeletionError) {
        if !failures.isEmpty { throw ServiceDeletionError(failures: failures) }
    }
}

extension ServiceDeletionError: LocalizedError {
    /// What happened: ``message``. `localizedDescription` is the same.
    public var errorDescription: String? { message }
    /// What to do about it: ``advice``.
    public var recoverySuggestion: String? { advice }
}
