import BrokerProtocol
import Cryptography
import Vault

/// `RotateAll`: asks the person, as often as it takes to name all items that ask for one. The conversation does it; this says what is to be asked, and when it is done.
enum RotateAllHandler: MethodHandler {
    static func answer(_ method: Keychain.RotateAll, _ request: Request) async throws(Fault) -> Answer {
        try RotationRule.check(request)
        if let granted = try request.redeem(method.challenge) {
            guard let outcome = granted.renewal else { throw Faults.challengeRefused }
            if let items = outcome.items {
                return .reply(Keychain.RotateAll.Reply(items: Int64(items), revoked: outcome.isRevoked))
            }
        }
        let plan = try await request.keeper.renewalPlan()
        let given = try decode(method.applicationPasswords ?? [])
        let missing = plan.passwords.filter { given[$0.item.id.description] == nil }
        guard missing.isEmpty else {
            return .reply(
                Keychain.RotateAll.Reply(items: nil, passwords: missing.map { Keychain.Item($0.item) }))
        }
        var passwords: [ItemID: RenewedPassword] = [:]
        for (item, salt) in plan.passwords {
            guard let password = given[item.id.description] else { continue }
            let book = request.core.applicationPasswords
            passwords[item.id] = RenewedPassword(
                reading: try await book.attempt(password, salt: salt, at: item.id, by: request.caller.uid),
                storing: try await book.stretch(password, for: request.caller.uid))
        }
        let unlock = SignatureChoice.unlock.authorizations
        let id = try request.core.challenges.issue(
            to: request.caller, owner: request.keeper.owner, vault: try await request.keeper.vaultID(),
            purposes: [.rotate], choice: SignatureChoice([unlock + plan.authorizations]), items: plan.items,
            passwords: passwords)
        throw Fault(
            .authenticationRequired,
            Fault.Details(challenge: id, purposes: [Keychain.Purpose.rotate.rawValue]))
    }

    private static func decode(_ given: [Keychain.ItemPassword]) throws(Fault) -> [String: SecretBytes] {
        var passwords: [String: SecretBytes] = [:]
        for entry in given {
            guard passwords[entry.item] == nil else {
                throw Fault(.invalidArgument, "An item's application password is given twice.")
            }
            passwords[entry.item] = try WireValue.decode(entry.password)
        }
        return passwords
    }

    static func logged(_ method: Keychain.RotateAll) -> LoggedCall? { LoggedCall(event: .rotate) }
}
