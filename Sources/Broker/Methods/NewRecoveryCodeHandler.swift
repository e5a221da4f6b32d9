import BrokerProtocol
import Cryptography
import Recovery
import Varlink
import Vault

/// `NewRecoveryCode`: asks the person every time, and gives out a code that is not valid yet.
enum NewRecoveryCodeHandler: MethodHandler {
    static func answer(_ method: Keychain.NewRecoveryCode, _ request: Request) async throws(Fault) -> MethodAnswer {
        try RecoveryPrecondition.check(request)
        try await RecoveryPrecondition.check(request.vaultActor.record())
        // A lock before this has ended the challenge, and a lock after it must end the code.
        let locks = request.vaultActor.held.lockCount
        guard let granted = try request.redeem(method.challenge) else {
            let vault = try await request.vaultActor.vaultID()
            throw try request.ask(for: .vault(.recovery), vault: vault)
        }
        // Without the authenticator's signature nobody has the key, not even the broker.
        guard granted.request.kind == .recovery, let key = granted.grant.key else {
            throw Faults.challengeRefused
        }
        let made = try await request.vaultActor.recovery.make(
            in: request.vaultActor, for: key, of: granted.vault, to: request.caller, ifNoLockSince: locks)
        let text: SecretBytes
        do throws(CryptographyError) { text = try made.code.text } catch {
            throw Fault(.failed, "there is no memory for the code")
        }
        await request.vaultActor.note(
            AccessRecord(.recovery, by: request.program(granted), detail: "a code was given out"), .anchored)
        let code = text.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
        return .reply(Keychain.NewRecoveryCode.Reply(code: code, part: Int64(made.part + 1)))
    }

    static func logged(_ method: Keychain.NewRecoveryCode) -> LoggedCall? { LoggedCall(event: .recovery) }
}

/// `ConfirmRecoveryCode`: the person wrote the code down, and it is valid from now on.
enum ConfirmRecoveryCodeHandler: MethodHandler {
    static func answer(_ method: Keychain.ConfirmRecoveryCode, _ request: Request) async throws(Fault) -> MethodAnswer {
        try RecoveryPrecondition.check(request)
        try await RecoveryPrecondition.check(request.vaultActor.record())
        let characters: SecretBytes
        guard method.characters.utf8.count <= VaultLimits.recoveryCodePart else {
            throw Fault(.invalidArgument, "a group of a code has \(RecoveryCode.groupLength) letters and digits")
        }
        do throws(CryptographyError) { characters = try SecretBytes(copying: Array(method.characters.utf8)) } catch {
            throw Fault(.failed, "there is no memory for the code")
        }
        let made = try await request.vaultActor.recovery.confirm(in: request.vaultActor, characters, by: request.caller)
        await request.vaultActor.note(
            AccessRecord(.recovery, by: request.program(), detail: "the code is valid from now on"), .anchored)
        return .reply(Keychain.ConfirmRecoveryCode.Reply(made: Int64(clamping: made)))
    }

    static func logged(_ method: Keychain.ConfirmRecoveryCode) -> LoggedCall? { LoggedCall(event: .recovery) }
}
