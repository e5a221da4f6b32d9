import BrokerProtocol
import Testing

@testable import Coffer
@testable import CofferClient
@testable import coffer_cli

/// What `coffer status` advises.
@Suite struct StatusTextTests {
    private func lines(_ vault: Wire.VaultState, of options: VaultOptions) -> String {
        let reply = Wire.Status.Reply(
            vault: vault, sealer: .init(kind: "tpm"), version: "1", sandbox: false, locks: [], warnings: [])
        return StatusText.lines(reply, nil, of: options).joined(separator: "\n")
    }

    /// Nobody can be asked on its behalf, so `coffer unlock` is of no use to it.
    @Test func aServicesOwnAccountIsToldWhatRootRuns() {
        for state in [Wire.VaultState.State.sealed, .locked] {
            let service = Wire.VaultState(state: state, service: true)
            let own = lines(service, of: VaultOptions(.own))
            #expect(own.contains("have root run: coffer unlock --user ") && !own.contains("open it with"), "\(own)")
            let roots = lines(service, of: VaultOptions(.account("web")))
            #expect(roots.contains("open it with: coffer unlock --user web"), "\(roots)")
            let person = lines(Wire.VaultState(state: state), of: VaultOptions(.own))
            #expect(person.contains("open it with: coffer unlock\n"), "\(person)")
        }
    }
}
