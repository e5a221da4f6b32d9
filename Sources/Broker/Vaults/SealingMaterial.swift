import Authorization
import Vault

/// Sealed objects, and the record that says which they must be.
struct SealingMaterial: Sendable {
    let objects: SealedObjects
    let record: RegistryRecord
    /// Of a vault that the registry does not name yet.
    var isSuccessor = false
}
