import Authorization
import Cryptography

/// The calls of `VaultActor` by their former names.
extension Sealer {
    public func bind(
        _ unlockRoot: SecretBytes, pin: SecretBytes, record: RegistryRecord
    ) throws(SealerError) -> ResealedRoot { try requireBinding().bind(unlockRoot, pin: pin, record: record) }

    public func sealUnbound(_ unlockRoot: SecretBytes, record: RegistryRecord) throws(SealerError) -> ResealedRoot {
        try requireBinding().sealUnbound(unlockRoot, record: record)
    }

    public func tie(
        _ roots: ReleasedRoots, to registers: [Int], _ objects: SealedObjects, record: RegistryRecord, now: UInt64
    ) throws(SealerError) -> ResealedVault {
        try requireBootTie().tie(roots, to: registers, objects, record: record, now: now)
    }

    public func untie(
        _ roots: ReleasedRoots, _ objects: SealedObjects, record: RegistryRecord
    ) throws(SealerError) -> ResealedVault { try requireBootTie().untie(roots, objects, record: record) }

    public func approve(_ boots: [ApprovedBoot], by key: SecretBytes, record: RegistryRecord) throws(SealerError) {
        try requireBootTie().approve(boots, by: key, record: record)
    }

    public func standing(of boots: BootList, record: RegistryRecord) throws(SealerError) -> BootStanding {
        try requireBootTie().standing(of: boots, record: record)
    }

    public func removeIndex(_ index: VaultIndex) throws(SealerError) { try indexes?.remove(index) }
    public func removeCounter(_ pin: CounterPin) throws(SealerError) { try indexes?.remove(pin) }
    public func endGeneration(_ generation: GenerationPin) throws(SealerError) { try indexes?.remove(generation) }
}
