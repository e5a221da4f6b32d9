import Authorization
import BrokerProtocol
import Cryptography
import Platform
import Varlink
import Vault

/// `Identity`: by what others can know this machine's TPM.
enum IdentityHandler: SharingHandler {
    typealias Method = Sync.Identity

    static func reply(to method: Sync.Identity, _ request: Request) async throws(Fault) -> MethodAnswer {
        let machine: MachineIdentity
        do throws(SealerError) {
            machine = try await request.vaultActor.dependencies.sealer.machineIdentity()
        } catch { throw Fault(error) }
        let name = try SharingWire.cryptography { () throws(CryptographyError) in try machine.endorsementName }
        return .reply(Sync.Identity.Reply(name: Hex.encode(name)))
    }
}
