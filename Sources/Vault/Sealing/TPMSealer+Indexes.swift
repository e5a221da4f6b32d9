import Authorization
import TPM

/// Removes the indexes of keys, counters, passwords and boots.
extension TPMSealer: IndexRemoval {
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
