import Authorization
import RootConfiguration
import Synchronization
import TPM
import Vault

/// The maker of the TPM. It is asked for once, in the background, so that `Status` answers even if the TPM hangs.
final class SealerMaker: Sendable {
    private let sealer: SealerService
    private let state = Mutex(State())

    private struct State {
        var answer: SealerDescription?
        var isAsking = false
    }

    init(_ sealer: SealerService) { self.sealer = sealer }

    /// The answer; nil if there is none yet.
    var known: SealerDescription? { state.withLock { $0.answer } }

    /// Begins to ask, unless the answer is known or on its way.
    func ask() {
        let isNeeded = state.withLock { state in
            guard state.answer == nil, !state.isAsking else { return false }
            state.isAsking = true
            return true
        }
        guard isNeeded else { return }
        let sealer = self.sealer
        Task {
            // `try?`: without an answer, the maker stays unknown until the next call of `ask`.
            let answer = try? await sealer.describe()
            state.withLock { state in
                state.answer = answer
                state.isAsking = false
            }
        }
    }
}

extension BrokerStart {
    /// The sealer that root's configuration names. It is never replaced by another because it does not work.
    public static func sealer(_ configuration: Configuration) throws(BrokerStartError) -> any Sealer {
        let registry = Registry(
            directory: configuration.registryDirectory, authenticatorUID: try authenticatorUID(configuration))
        switch configuration.sealer {
        case .software: return SoftwareSealer(directory: configuration.vaultDirectory, registry: registry)
        case .tpm:
            do throws(TPMError) {
                return TPMSealer(
                    TPMAccess(
                        try TCTIConfiguration(parsing: configuration.tcti),
                        deadline: .seconds(configuration.tpmDeadline), reserved: { registry.reservedHandles() }))
            } catch { throw BrokerStartError(reason: "\(error)") }
        }
    }
}
