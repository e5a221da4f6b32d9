import Authorization
import Broker
import BrokerProtocol
import Item
import RootConfiguration
import TestSupport
import Testing
import Varlink
import Vault

/// A broker with the software sealer, as most tests want it.
func throwAwayBroker(
    folder: TemporaryFolder? = nil, authenticator: TestAuthenticator? = nil,
    options: Broker.Options = Broker.Options.patient,
    configure: (inout Configuration) -> Void = { _ in }
) async throws -> ThrowAwayBroker {
    try await ThrowAwayBroker(folder: folder, authenticator: authenticator, options: options, configure: configure) {
        SoftwareSealer(directory: $0.vaultDirectory)
    }
}

/// Runs a call that must fail, and returns its fault.
func fault(_ body: () async throws -> some Sendable) async throws -> Fault {
    do {
        let answer = try await body()
        Issue.record("expected an error, got \(answer)")
        return Fault(.failed)
    } catch let fault as Fault {
        return fault
    }
}

/// The challenge of a call that must ask for a person.
func challenge(_ body: () async throws -> some Sendable) async throws -> String {
    let fault = try await fault(body)
    #expect(fault.name == .authenticationRequired)
    return try #require(fault.details.challenge)
}

extension AccessControl {
    static let presence = AccessControl.whenUnlocked.requiring(.userPresence)
}

/// "value", as the wire has it.
let someValue = "dmFsdWU="
