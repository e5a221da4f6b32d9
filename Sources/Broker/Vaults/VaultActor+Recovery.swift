import Authorization
import BrokerProtocol
import Cryptography
import Platform
import Recovery
import Varlink
import Vault

extension VaultActor {
    /// Whether there is a recovery code; nil if the vault is not open. This does not use the TPM.
    func recovery() throws(Fault) -> Keychain.RecoveryState? {
        guard let open else { return nil }
        do throws(VaultError) {
            return Keychain.RecoveryState(made: try open.vault.recoveryMade.map { Int64(clamping: $0) })
        } catch { throw noting(Fault(error)) }
    }

    /// Wraps the recovery key under a new code. It replaces a code that was never confirmed.
    ///
    /// - Parameter vault: the vault that the key belongs to.
    /// - Returns: the code, and the group of it that must be typed back.
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
            // If the keys were renewed meanwhile, this key is the former one.
            guard state.record.vault == vault else { throw Faults.challengeRefused }
            return try state.vault.wrap(recoveryKey, under: code)
        }
        let made = UnconfirmedCode(
            recovery: recovery, code: code, part: part, process: caller.process,
            expires: dependencies.clock.now() + RecoveryLimits.life)
        held.code = made
        dependencies.clock.after(RecoveryLimits.life) { [weak self] in Task { await self?.dropLateCode() } }
        return made
    }

    /// Makes the code valid if the right part of it was typed back.
    /// - Returns: when the code was made, in milliseconds since 1970-01-01 UTC.
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

/// A recovery code that was given out and is not valid yet. It exists only in memory. The valid
/// code stays as it is, also if this one is lost.
struct UnconfirmedCode: Sendable {
    let recovery: UnconfirmedRecovery
    let code: RecoveryCode
    /// The group of the code that must be typed back, from 0.
    let part: Int
    /// The process that got the code.
    let process: ProcessIdentity
    let expires: ContinuousClock.Instant
    var tries = 0
}
