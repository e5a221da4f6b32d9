import Authorization
import Cryptography
import TPM

/// The epoch counter: docs/tpm.md, "The epoch counter".
extension TPMSealer: EpochCounting {
    public func openCounted(_ objects: SealedObjects, record: RegistryRecord) throws(SealerError) -> CountedRoot {
        let pin = try Self.pin(record)
        let stored = try StoredDeviceRoot(objects, record)
        return try counting { (isGone) throws(SealerError) in
            try perform(record) { context, parent throws(TPMError) in
                let session: HMACSession
                let root: SecretBytes
                if record.boot != nil {
                    // A policy session opens one object only. If the root is tied to the boot, the counter needs a
                    // session of its own.
                    root = try stored.open(
                        context, parent, startSession(for: .deviceRoot, objects, record, context, parent))
                    session = try context.startHMACSession(saltedTo: parent)
                } else {
                    session = try context.startHMACSession(saltedTo: parent)
                    root = try stored.open(context, parent, keeping: session)
                }
                let password = try Self.counterPassword(of: root, record.vault)
                do throws(TPMError) {
                    let counter = try Self.counter(pin, password, context)
                    return CountedRoot(deviceRoot: root, epoch: Self.epoch(try counter.value(session), pin))
                } catch {
                    isGone = error.code == .indexReplaced
                    throw error
                }
            }
        }
    }

    public func count(
        to epoch: UInt64, most: UInt64, password: SecretBytes, record: RegistryRecord
    ) throws(SealerError) -> UInt64 {
        let pin = try Self.pin(record)
        let (wanted, isTooMuch) = epoch.addingReportingOverflow(pin.base)
        guard !isTooMuch else { throw SealerError(.damaged, "the vault's epoch is larger than a counter can be") }
        return try counting { (isGone) throws(SealerError) in
            try perform(record) { context, parent throws(TPMError) in
                do throws(TPMError) {
                    let counter = try Self.counter(pin, password, context)
                    let session = try context.startHMACSession(saltedTo: parent)
                    return Self.epoch(try counter.count(to: wanted, most: most, session), pin)
                } catch {
                    isGone = error.code == .indexReplaced
                    throw error
                }
            }
        }
    }

    public func remakeCounter(password: SecretBytes, record: RegistryRecord) throws(SealerError) -> UInt64 {
        let pin = try Self.pin(record)
        return try perform(record) { context, parent throws(TPMError) in
            let identity = try Self.identity(of: pin)
            try context.makeRoom(for: identity)
            let made = try context.makeCounter(password: password, at: identity.handle, under: parent)
            return Self.epoch(made.value, pin)
        }
    }

    /// Makes the counter of a new vault, whose file begins with epoch 1.
    static func makeCounter(
        deviceRoot: SecretBytes, vault: VaultID, _ context: borrowing TPMContext, _ parent: borrowing StorageKey
    ) throws(TPMError) -> CounterPin {
        let made = try context.makeCounter(password: counterPassword(of: deviceRoot, vault), under: parent)
        guard made.value > 0,
            let pin = CounterPin(
                handle: made.identity.handle.rawValue, base: made.value - 1, context: made.context)
        else {
            // The impossible value matters more than a failed removal.
            try? context.undefine(made.identity)
            throw TPMError(.other, "the TPM's new counter has an impossible handle or value")
        }
        return pin
    }

    private static func counter(
        _ pin: CounterPin, _ password: SecretBytes, _ context: borrowing TPMContext
    ) throws(TPMError) -> EpochCounter {
        try context.counter(identity(of: pin), context: pin.context, password: password)
    }

    private static func pin(_ record: RegistryRecord) throws(SealerError) -> CounterPin {
        guard let pin = record.counter else {
            throw SealerError(.damaged, "the registry record of \(record.owner) names no counter")
        }
        return pin
    }

    static func identity(of pin: CounterPin) throws(TPMError) -> EpochCounterIdentity {
        guard let handle = NVHandle(rawValue: pin.handle) else {
            throw TPMError(.damaged, "the registry names an NV index that is not Coffer's")
        }
        return try EpochCounterIdentity(handle: handle)
    }

    /// A counter below its first value stands for no epoch that the vault ever had.
    private static func epoch(_ value: UInt64, _ pin: CounterPin) -> UInt64 { value - min(value, pin.base) }

    private static func counterPassword(of root: SecretBytes, _ vault: VaultID) throws(TPMError) -> SecretBytes {
        do throws(CryptographyError) { return try VaultKeys.counterPassword(deviceRoot: root, vault: vault) } catch {
            throw TPMError(.other, "the counter's password could not be derived: \(error.reason)")
        }
    }

    /// Reports a missing index as `.counterGone`, unless checking the storage key found another cause.
    private func counting<Value>(
        _ body: (_ isGone: inout Bool) throws(SealerError) -> Value
    ) throws(SealerError) -> Value {
        var isGone = false
        do throws(SealerError) { return try body(&isGone) } catch {
            guard isGone, error.code == .other else { throw error }
            throw SealerError(
                .counterGone, "the TPM's counter for this vault was removed, or another was put in its place",
                tpmCode: error.tpmCode)
        }
    }
}
