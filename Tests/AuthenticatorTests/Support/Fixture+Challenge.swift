import Authorization
import BrokerProtocol

extension Fixture {
    /// What the broker says about the next challenge.
    func ask(for purposes: [Keychain.Purpose], _ kinds: [String]) {
        broker.change { script in
            script.facts.purposes = purposes
            script.facts.service = purposes.contains(.read) ? "github" : nil
            script.facts.account = purposes.contains(.read) ? "me" : nil
            script.facts.authorizations = kinds.map { .init(kind: $0) }
            script.facts.alternatives = [kinds.indices.map(Int64.init)]
            script.adopted = []
        }
    }
}

extension RegistryRecord {
    /// The same vault, as if a TPM had sealed it.
    var sealedByTPM: RegistryRecord {
        RegistryRecord(
            vault: vault, owner: owner, ownerName: ownerName, created: created, sealer: .tpm,
            authenticatorKey: authenticatorKey,
            storageKey: StorageKeyPin(
                handle: 0x8100_0001, name: [0, 11] + [UInt8](repeating: 1, count: 32), context: [1]),
            counter: CounterPin(handle: 0x01B0_C003, base: 0, context: [1]), objects: objects)
    }
}
