import Authorization
import BrokerProtocol
import Cryptography
import Platform
import Recovery
import Varlink
import Vault

/// Gives out recovery codes. A code is valid once a part of it was typed back. Until then it is kept where a lock wipes
/// it (`HeldKeys`).
struct RecoveryCodes: Sendable {
    /// Whether there is a recovery code; nil if the vault is not open, or is a service's, which has none. This does not
    /// use the TPM.
    func state(in vaultActor: isolated VaultActor) throws(Fault) -> Keychain.RecoveryState? {
        guard let open = vaultActor.open, !open.record.isService else { return nil }
        do throws(VaultError) {
            return Keychain.RecoveryState(made: try open.vault.recoveryMade.map { Int64(clamping: $0) })
        } catch { throw vaultActor.noting(Fault(error)) }
    }

    /// Wraps the recovery key under a new code. It replaces a code that was never confirmed.
    ///
    /// - Parameters:
    ///   - vault: the vault that the key belongs to.
    ///   - locks: how many locks had come before the person's answer was taken (`HeldKeys.lockCount`).
    /// - Returns: the code, and the group of it that must be typed back.
    /// - Throws: `ChallengeRefused` if a lock came since then, or if the keys were renewed.
    func make(
        in vaultActor: isolated VaultActor, for recoveryKey: SecretBytes, of vault: VaultID?, to caller: Caller,
        ifNoLockSince locks: UInt64
    ) async throws(Fault) -> UnconfirmedCode {
        let code: RecoveryCode
        let part: Int
        do throws(CryptographyError) {
            code = try RecoveryCode.random()
            part = Int(try Random.bytes(1)[0]) % RecoveryCode.groupCount
        } catch { throw Fault(.failed, "the broker has no random numbers") }
        let recovery = try await vaultActor.use { state in
            // If the keys were renewed meanwhile, this key is the former one.
            guard state.record.vault == vault else { throw Faults.challengeRefused }
            return try state.vault.wrap(recoveryKey, under: code)
        }
        let clock = vaultActor.dependencies.clock
        let made = UnconfirmedCode(
            recovery: recovery, code: code, part: part, process: caller.process,
            expires: clock.now() + RecoveryLimits.life)
        guard vaultActor.held.keep(made, ifNoLockSince: locks) else { throw Faults.challengeRefused }
        clock.after(RecoveryLimits.life) { [weak vaultActor] in
            guard let vaultActor else { return }
            Task { await dropLate(in: vaultActor) }
        }
        return made
    }

    /// Makes the code valid if the right part of it was typed back.
    /// - Returns: when the code was made, in milliseconds since 1970-01-01 UTC.
    func confirm(
        in vaultActor: isolated VaultActor, _ characters: SecretBytes, by caller: Caller
    ) async throws(Fault) -> UInt64 {
        dropLate(in: vaultActor)
        let held = vaultActor.held
        guard let code = held.code, code.process == caller.process else { throw Faults.noCodeToConfirm }
        guard code.code.has(characters, asGroup: code.part) else {
            held.noteWrongPart()
            throw Fault(.invalidArgument, "that is not group \(code.part + 1) of the code")
        }
        let (locks, vault) = (held.lockCount, vaultActor.open?.vault)
        held.dropCode()
        do throws(Fault) { return try await vaultActor.use { try $0.vault.confirm(code.recovery) } } catch {
            // It was typed rightly. If another vault is open now, it is that one's no longer.
            if let vault, vaultActor.open?.vault === vault { held.putBack(code, ifNoLockSince: locks) }
            throw error
        }
    }

    private func dropLate(in vaultActor: isolated VaultActor) {
        let held = vaultActor.held
        if let code = held.code, code.expires <= vaultActor.dependencies.clock.now() { held.dropCode() }
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
