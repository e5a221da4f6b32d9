import Authorization
import BrokerProtocol
import Cryptography
import Recovery
import Varlink
import Vault

extension VaultActor {
    /// Whether there is a recovery code, where the vault is open already; its being asked touches no TPM.
    func recovery() throws(Fault) -> Keychain.RecoveryState? {
        guard let open else { return nil }
        do throws(VaultError) {
            return Keychain.RecoveryState(made: try open.vault.recoveryMade.map { Int64(clamping: $0) })
        } catch { throw noting(Fault(error)) }
    }

    /// Puts the recovery key under a new code, which takes the place of one that was never confirmed.
    /// - Returns: the code, and which of its groups has to come back.
    ///
    /// - Parameter vault: whose key it is.
    func makeCode(
        for recoveryKey: SecretBytes, of vault: VaultID?, to caller: Caller
    ) async throws(Fault) -> UnconfirmedCode {
        let code: RecoveryCode
        let part: Int
        do throws(CryptographyError) {
            code = try RecoveryCode.random()
            part = Int(try Random.bytes(1)[0]) % RecoveryCode.groupCount
        } catch { throw Fault(.failed, "The broker has no random numbers.") }
        let recovery = try await use { state in
            // The keys were renewed meanwhile: this is the one before.
            guard state.record.vault == vault else { throw Faults.challengeRefused }
            return try state.vault.wrap(recoveryKey, under: code)
        }
        let made = UnconfirmedCode(
            recovery: recovery, code: code, part: part, process: caller.process,
            expires: dependencies.clock.now() + UnconfirmedCode.life)
        held.code = made
        dependencies.clock.after(UnconfirmedCode.life) { [weak self] in Task { await self?.dropLateCode() } }
        return made
    }

    /// Makes the code valid, if what came back is the part that was asked for.
    /// - Returns: when it was made.
    func confirmCode(_ characters: SecretBytes, by caller: Caller) async throws(Fault) -> UInt64 {
        dropLateCode()
        guard let code = held.code, code.process == caller.process else { throw Faults.noCodeToConfirm }
        guard code.code.has(characters, asGroup: code.part) else {
            held.noteWrongPart()
            throw Fault(.invalidArgument, "That is not group \(code.part + 1) of the code.")
        }
        held.code = nil
        return try await use { try $0.vault.confirm(code.recovery) }
    }

    private func dropLateCode() {
        if let code = held.code, code.expires <= dependencies.clock.now() { held.code = nil }
    }
}
