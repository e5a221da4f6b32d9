import BrokerProtocol
import Cryptography
import Varlink
import Vault

/// `RotateAll`: asks the person until all items that require a person were named in a prompt. The authenticator
/// session does the work. This method decides what is asked next and when it is done.
enum RotateAllHandler: MethodHandler {
    static func answer(_ method: Keychain.RotateAll, _ request: Request) async throws(Fault) -> MethodAnswer {
        try RotationPrecondition.check(request)
        if let granted = try request.redeem(method.challenge) {
            guard let outcome = granted.grant.renewal else { throw Faults.challengeRefused }
            if let items = outcome.items {
                return .reply(Keychain.RotateAll.Reply(items: Int64(items), revoked: outcome.isRevoked))
            }
        }
        let sharing = try await request.vaultActor.use { try $0.vault.circleState($0.keys) }
        guard sharing?.isMember ?? true else {
            throw Fault(
                .failed, "this machine was removed from those that share the secrets",
                advice: "forget them with: coffer sync leave; then renew the keys")
        }
        let plan = try await request.vaultActor.renewal.plan(in: request.vaultActor)
        let given = try check(method.applicationPasswords ?? [], plan)
        let missing = plan.passwords.filter { given[$0.item.id] == nil }
        guard missing.isEmpty else {
            return .reply(
                Keychain.RotateAll.Reply(items: nil, passwords: missing.map { Keychain.Item($0.item) }))
        }
        let kept = SecretAllowance(request.core.budgets, for: request.caller.uid)
        try kept.take(SecretAllowance.key, times: 2 * plan.passwords.count)
        var passwords: [ItemID: RenewedPassword] = [:]
        for (item, salt) in plan.passwords {
            guard let text = given[item.id] else { continue }
            passwords[item.id] = try await stretch(text, salt: salt, of: item.id, request)
        }
        let others = sharing?.machines.filter { !$0.isOwn }.prefix(SharingCallLimits.names) ?? []
        let rotation = Challenge.Rotation(
            items: plan.items, authorizations: plan.authorizations, passwords: passwords, circle: sharing?.circle,
            machines: others.map { VaultSharing.name($0.profile?.name, of: $0.device) })
        throw try request.ask(
            for: .rotate(rotation), vault: await request.vaultActor.vaultID(), secrets: kept)
    }

    /// Checks the passwords before any of them enters secret memory. Each must be for an item of this vault with an
    /// application password, and no item may have two.
    ///
    /// - Returns: the passwords, unchanged.
    private static func check(
        _ given: [Keychain.ItemPassword], _ plan: RenewalPlan
    ) throws(Fault) -> [ItemID: String] {
        var passwords: [ItemID: String] = [:]
        for entry in given {
            guard let item = plan.withPassword[entry.item] else {
                throw Fault(
                    .invalidArgument, "an application password was given, but this vault has no such item with one")
            }
            guard passwords.updateValue(entry.password, forKey: item) == nil else {
                throw Fault(.invalidArgument, "an item's application password was given twice")
            }
        }
        return passwords
    }

    /// Only one password is in secret memory at a time, however many came. The stretched passwords are already
    /// counted.
    private static func stretch(
        _ text: String, salt: [UInt8], of item: ItemID, _ request: Request
    ) async throws(Fault) -> RenewedPassword {
        guard !request.isAbandoned() else { throw Fault(.failed, "the caller has hung up") }
        let one = request.withOwnAllowance()
        let password = try one.secrets.decode(text)
        let book = request.core.applicationPasswords
        return RenewedPassword(
            reading: try await book.attempt(password, salt: salt, at: item, for: one),
            storing: try await book.stretch(password, for: one))
    }

    static func logged(_ method: Keychain.RotateAll) -> LoggedCall? { LoggedCall(event: .rotate) }
}
