import Configuration
import TPM
import Vault

extension BrokerStart {
    /// The sealer that root's configuration names. It is never replaced by another because it does not work.
    public static func sealer(_ configuration: Configuration) throws(BrokerStartError) -> any Sealer {
        switch configuration.sealer {
        case .software: return SoftwareSealer(directory: configuration.vaultDirectory)
        case .tpm:
            do throws(TPMError) {
                return TPMSealer(
                    TPMAccess(
                        try TCTIConfiguration(parsing: configuration.tcti),
                        deadline: .seconds(configuration.tpmDeadline)))
            } catch { throw BrokerStartError(reason: "\(error)") }
        }
    }
}
