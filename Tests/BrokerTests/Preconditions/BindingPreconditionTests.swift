import Authorization
import BrokerProtocol
import Testing
import Varlink

@testable import Broker

/// Whose vault can be bound to a password.
struct BindingPreconditionTests {
    private func record(_ owner: Owner, _ sealer: SealerKind = .tpm, isService: Bool = false) throws -> RegistryRecord {
        RegistryRecord(
            vault: try VaultID.random(), owner: owner, ownerName: "x", created: 1, sealer: sealer,
            authenticatorKey: [], storageKey: nil, objects: [:], isService: isService)
    }

    private func refusal(_ record: RegistryRecord) -> Fault? {
        do throws(Fault) {
            try BindingPrecondition.check(record)
            return nil
        } catch { return error }
    }

    @Test func onePersonsOwnOnATPM() throws {
        #expect(try refusal(record(.user(1000))) == nil)
        #expect(try refusal(record(.group(27)))?.details.message?.contains("group") == true)
        #expect(try refusal(record(.user(1000), isService: true))?.name == .invalidArgument)
        #expect(try refusal(record(.user(1000), .software))?.details.message?.contains("software") == true)
        // The authenticator's own check of the same.
        #expect(try record(.user(1000)).canBeBound)
        for other in [try record(.group(27)), try record(.user(1), isService: true), try record(.user(1), .software)] {
            #expect(!other.canBeBound)
        }
    }
}
