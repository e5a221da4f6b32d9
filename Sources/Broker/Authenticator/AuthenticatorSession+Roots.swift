import Authorization
import BrokerProtocol
import Cryptography
import Platform
import Varlink
import Vault

/// Binds a vault to its owner's password, moves it to a changed password, or unbinds it (docs/binding.md).
extension AuthenticatorSession {
    /// Seals another unlock root to replace the one that a signature has released. The new root is not in use yet.
    func reseal(_ method: BrokerInterface.Reseal) async throws(Fault) -> MethodAnswer {
        try await conduct(.reseal, method.challenge) { (challenge) throws(Fault) in
            let pin = try Self.pin(method.pin)
            let root = try step { (_, connection) throws(ChallengeRefusal) in
                try challenge.life.conversation(over: connection).root
            }
            let isUnbinding = challenge.request.kind == .unbind
            guard case .released(let root) = root, (pin == nil) == isUnbinding else {
                throw Fault(.brokerNotPermitted, PrivateCall.reseal.objection)
            }
            let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
            let (next, sealed) = try await vaultActor.roots.reseal(in: vaultActor, for: challenge, root: root, pin: pin)
            try step { (challenges, connection) throws(ChallengeRefusal) in
                try challenges.replace(by: next, sealedAs: sealed.name, for: challenge.id, connection: connection)
            }
            return .reply(
                BrokerInterface.Reseal.Reply(
                    name: Base64.encode(sealed.name),
                    index: sealed.index.map {
                        BrokerInterface.PINIndex(handle: Int64($0.handle), policy: Base64.encode($0.policy))
                    }))
        }
    }

    /// The registry names the roots that were sealed again. The vault is now open with them.
    func adoptRoots(_ method: BrokerInterface.AdoptRoots) async throws(Fault) -> MethodAnswer {
        try await conduct(.adoptRoots, method.challenge) { (challenge) throws(Fault) in
            let root = try step { (_, connection) throws(ChallengeRefusal) in
                try challenge.life.conversation(over: connection).root
            }
            guard case .replacement(let root, let name) = root,
                let index = challenge.choice.authorizations.firstIndex(where: { $0.role == .unlockRoot })
            else { throw Self.refusal }
            let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
            let lost = try await vaultActor.roots.adopt(
                in: vaultActor, for: challenge.id, root: root, name: name)
            await vaultActor.note(Self.record(of: challenge, losing: lost), .anchored)
            if case .user(let uid) = challenge.owner { core.locks.idle.unlocked(uid) }
            try step { (challenges, connection) throws(ChallengeRefusal) in
                try challenges.finish(challenge.id, index, connection: connection, agreement: nil)
            }
            return .reply(Nothing())
        }
    }

    /// The record of roots that were replaced.
    private static func record(of challenge: Challenge, losing lost: Int) -> AccessRecord {
        let program = LoggedProgram.of(challenge)
        // Opening a bound vault replaces its root only after the login password was changed.
        guard challenge.request.resealsRoots, let event = challenge.request.event else {
            return AccessRecord(.bind, by: program, detail: "to the changed password")
        }
        return AccessRecord(
            event, by: program, detail: lost == 0 ? nil : "\(lost) of class passcode-set destroyed")
    }

    /// Decodes the PIN (32 bytes) that the authenticator derived from a bound vault's password.
    static func pin(_ text: String?) throws(Fault) -> SecretBytes? {
        guard let text else { return nil }
        let pin: SecretBytes?
        do throws(CryptographyError) { pin = try SecretBytes(base64Encoded: text) } catch {
            throw Fault(.brokerFailed, "there is no memory for a PIN: \(error.reason)")
        }
        guard let pin, pin.count == 32 else { throw Fault(.brokerInvalidArgument, "a PIN has 32 bytes") }
        return pin
    }
}

/// Ties a vault to the boot, or releases it (docs/boot.md).
extension AuthenticatorSession {
    /// Seals again the roots that signatures have released. The new objects are not in use yet.
    func resealForBoot(_ method: BrokerInterface.ResealForBoot) async throws(Fault) -> MethodAnswer {
        try await conduct(.resealForBoot, method.challenge) { (challenge) throws(Fault) in
            let conversation = try step { (_, connection) throws(ChallengeRefusal) in
                try challenge.life.conversation(over: connection)
            }
            guard case .released(let root) = conversation.root, let recovery = conversation.key else {
                throw Fault(.brokerNotPermitted, PrivateCall.resealForBoot.objection)
            }
            let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
            let (next, sealed) = try await vaultActor.roots.resealForBoot(
                in: vaultActor, for: challenge, root: root, recovery: recovery)
            guard let name = sealed.names[.unlockRoot] else { throw Self.refusal }
            try step { (challenges, connection) throws(ChallengeRefusal) in
                try challenges.replace(by: next, sealedAs: name, for: challenge.id, connection: connection)
            }
            let names = sealed.names.map { (String($0.key.rawValue), Base64.encode($0.value)) }
            return .reply(
                BrokerInterface.ResealForBoot.Reply(
                    names: Dictionary(uniqueKeysWithValues: names),
                    boot: sealed.boot.map { boot in
                        BrokerInterface.Tie(
                            index: BrokerInterface.PINIndex(
                                handle: Int64(boot.index.handle), policy: Base64.encode(boot.index.policy)),
                            registers: boot.registers.map { Int64($0) })
                    }))
        }
    }
}
