/// When changes are protected against somebody who puts an older copy of the vault's file back.
///
/// ```swift
/// try await keychain.delete("thumbnail-42", protection: .later)
/// ```
public enum RollbackProtection: Sendable, Hashable {
    /// At once, or within 20 seconds if many deletions came before.
    case soon
    /// Within some minutes, as everything that is only written. The call then never waits for the TPM. It is for what an attacker gains nothing by, such as
    /// caches.
    case later
}
