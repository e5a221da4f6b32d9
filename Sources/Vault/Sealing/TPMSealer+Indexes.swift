import Authorization
import Cryptography
import TPM

/// Removes the indexes of keys, counters, passwords and boots.
extension TPMSealer: IndexRemoval {
    public func has(_ generation: GenerationPin) throws(SealerError) -> Bool {
        do throws(TPMError) { return try access.open().has(TPMObjects.identity(ofKeys: generation)) } catch {
            throw SealerError(error)
        }
    }

    public func remove(_ counter: CounterPin) throws(SealerError) {
        do throws(TPMError) { try access.open().undefine(Self.identity(of: counter)) } catch {
            throw SealerError(error)
        }
    }

    public func remove(_ generation: GenerationPin) throws(SealerError) {
        do throws(TPMError) { try access.open().undefine(TPMObjects.identity(ofKeys: generation)) } catch {
            throw SealerError(error)
        }
    }

    public func remove(_ index: VaultIndex) throws(SealerError) {
        do throws(TPMError) {
            switch index {
            case .password(let pin): try access.open().undefine(TPMObjects.identity(of: pin))
            case .boots(let pin): try access.open().undefine(TPMObjects.identity(ofBoots: pin))
            }
        } catch { throw SealerError(error) }
    }
}

/// The condition and the identity of the TPM, for `coffer doctor`.
extension TPMSealer: SealerInspection {
    public func inspect(_ record: RegistryRecord?) throws(SealerError) -> SealerCondition {
        do throws(TPMError) {
            let context = try access.open()
            let condition = try context.condition()
            guard let pin = record?.storageKey else { return SealerCondition(tpm: condition, storageKey: nil) }
            let identity = StorageKeyIdentity(handle: pin.handle, name: pin.name, context: pin.context)
            return SealerCondition(tpm: condition, storageKey: try context.standing(of: identity))
        } catch { throw SealerError(error) }
    }

    public func room() throws(SealerError) -> NVRoom {
        do throws(TPMError) { return try access.open().nvRoom() } catch { throw SealerError(error) }
    }

    public func identity(
        of record: RegistryRecord, roots: [Certificate]
    ) throws(SealerError) -> Endorsement.Standing {
        guard let pin = record.storageKey else {
            throw SealerError(.damaged, "the registry record of \(record.owner) names no storage key of a TPM")
        }
        do throws(TPMError) {
            let context = try access.open()
            let key = try context.storageKey(
                StorageKeyIdentity(handle: pin.handle, name: pin.name, context: pin.context))
            return try context.endorsement(of: key, roots: roots).standing
        } catch { throw SealerError(error) }
    }
}
