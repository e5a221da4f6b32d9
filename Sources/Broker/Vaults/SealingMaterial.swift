import Authorization
import Vault

/// Sealed objects, and the record that says which they must be.
struct SealingMaterial: Sendable {
    let objects: SealedObjects
    let record: RegistryRecord
}
