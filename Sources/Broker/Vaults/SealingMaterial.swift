import Authorization
import Vault

/// Sealed objects, and the record that says which ones they must be.
struct SealingMaterial: Sendable {
    let objects: SealedObjects
    let record: RegistryRecord
    /// Whether the vault is a successor that the registry does not name yet.
    var isSuccessor = false
}
