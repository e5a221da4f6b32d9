import Authorization
import BrokerProtocol
import Cryptography
import Varlink
import Vault

/// Replaces a vault's roots: with a password or without (docs/binding.md), tied to the measured boot or not
/// (docs/boot.md). The file changes first, then root's registry, then the vault in use. After a crash in between, the
/// vault opens with what the registry names.
struct RootReplacement: Sendable {
    /// Seals another unlock root and adds it to the file, beside the one in use.
    ///
    /// - Parameters:
    ///   - root: the root in use, as a signature released it.
    ///   - pin: nil to unbind the vault.
    /// - Returns: the other root, and its sealed form.
    func reseal(
        in vaultActor: isolated VaultActor, for challenge: Challenge, root: SecretBytes, pin: SecretBytes?
    ) async throws(Fault) -> (SecretBytes, ResealedRoot) {
        try await replaceRoots(in: vaultActor, for: challenge, root) { (record) throws(Fault) in
            try BindingPrecondition.check(record, for: challenge)
        } seal: { (sealer, next, state) throws(SealerError) in
            let binding = try sealer.requireBinding()
            if let pin { return try binding.bind(next, pin: pin, record: state.record) }
            return try binding.sealUnbound(next, record: state.record)
        }
    }

    /// Seals all roots again, tied to the boot or not, and adds them to the file, beside those in use.
    ///
    /// - Parameters:
    ///   - root: the unlock root in use, as a signature released it.
    ///   - recovery: the recovery key, released in the same way.
    func resealForBoot(
        in vaultActor: isolated VaultActor, for challenge: Challenge, root: SecretBytes, recovery: SecretBytes
    ) async throws(Fault) -> (SecretBytes, ResealedVault) {
        let now = SystemClock.now()
        if case .tieToBoot = challenge.request { try await requireRecoveryCode(in: vaultActor) }
        return try await replaceRoots(in: vaultActor, for: challenge, root) { (record) throws(Fault) in
            try BootPrecondition.check(record, for: challenge)
        } seal: { (sealer, next, state) throws(SealerError) in
            let bootTie = try sealer.requireBootTie()
            let roots = ReleasedRoots(unlockRoot: next, recovery: recovery)
            guard case .tieToBoot(let registers) = challenge.request else {
                return try bootTie.untie(roots, state.vault.objects, record: state.record)
            }
            return try bootTie.tie(roots, to: registers, state.vault.objects, record: state.record, now: now)
        }
    }

    /// Without a recovery code, an unforeseen boot would lock the vault for good.
    func requireRecoveryCode(in vaultActor: isolated VaultActor) async throws(Fault) {
        guard try await vaultActor.use({ try $0.vault.recoveryMade }) != nil else {
            throw Fault(
                .failed,
                "without a recovery code, an update of firmware or kernel that you have not approved would lock your vault for good",
                advice: "make a code first with: coffer recovery new")
        }
    }

    /// Adds another unlock root to the file, with everything that is sealed again with it.
    ///
    /// - Parameters:
    ///   - root: the root in use.
    ///   - check: throws if the vault does not allow this.
    ///   - seal: seals the other root.
    private func replaceRoots<Sealed: Resealed>(
        in vaultActor: isolated VaultActor, for challenge: Challenge, _ root: SecretBytes,
        check: (RegistryRecord) throws(Fault) -> Void,
        seal: @escaping @Sendable (any Sealer, SecretBytes, VaultActor.OpenState) throws(SealerError) -> Sealed
    ) async throws(Fault) -> (SecretBytes, Sealed) {
        try vaultActor.begin(.replacement, for: challenge.id)
        try followRegistry(in: vaultActor)
        try check(await vaultActor.opened().record)
        // If damage is the reason why something is left, trying again would not help.
        _ = try await removeLeftovers(in: vaultActor)
        let state = try await vaultActor.opened()
        let dependencies = vaultActor.dependencies
        let made: (SecretBytes, Sealed)
        do throws(SealerError) {
            made = try await dependencies.sealer.use(within: dependencies.makingTime) { (sealer) throws(SealerError) in
                let next: SecretBytes
                do throws(CryptographyError) { next = try SecretBytes.random(count: 32) } catch {
                    throw SealerError(.other, "no random key could be made: \(error.reason)")
                }
                return (next, try seal(sealer, next, state))
            } undo: { sealer, made in
                // `try?`: an index that cannot be removed stays in the TPM and is worthless.
                if let index = made.1.madeIndex { try? sealer.indexes?.remove(index) }
            }
        } catch { throw Fault(error) }
        do throws(Fault) {
            // The challenge may have ended while the TPM worked.
            guard vaultActor.isUnderWay(for: challenge.id) else { throw Faults.challengeRefused }
            let abandoned = vaultActor.open?.vault.uselessIndex
            try await vaultActor.use { state in try made.1.begin(in: state.vault, from: root, to: made.0) }
            if let abandoned { await dependencies.removeIndex(abandoned) }
        } catch {
            if let index = made.1.madeIndex { await dependencies.removeIndex(index) }
            throw error
        }
        return made
    }

    /// The registry names the other root. The vault is now open with it, and the former root is gone from file and
    /// TPM.
    ///
    /// - Returns: how many items were lost with the binding.
    func adopt(
        in vaultActor: isolated VaultActor, for challenge: Challenge.ID, root: SecretBytes, name: [UInt8]
    ) async throws(Fault) -> Int {
        try vaultActor.begin(.replacement, for: challenge)
        _ = try await vaultActor.opened()
        guard let record = try vaultActor.registered() else { throw Faults.notFound }
        guard record.objects[.unlockRoot] == name else {
            throw Fault(.notPermitted, "the registry does not name what the vault was sealed as")
        }
        let challenges = vaultActor.dependencies.challenges
        guard challenges.isOpen(challenge), var state = vaultActor.open else { throw Faults.challengeRefused }
        let keys: ClassKeys
        do throws(VaultError) {
            try state.vault.take(record, sealer: vaultActor.dependencies.sealer.reader)
            keys = try state.vault.classKeys(unlockRoot: root)
            // A challenge that released the former unlock root would find that it opens nothing.
            challenges.dropUnlocking(vaultActor.owner, but: challenge)
        } catch {
            // Memory does not match the registry, so the vault is opened again.
            vaultActor.open = nil
            throw vaultActor.noting(Fault(error))
        }
        state.record = record
        vaultActor.open = state
        // If the vault was locked meanwhile, it is bound all the same, and stays locked.
        _ = vaultActor.held.unlock(keys, at: VaultActor.milliseconds) { challenges.isOpen(challenge) }
        let lost = await finish(in: vaultActor)
        vaultActor.endOperation(of: challenge)
        return lost
    }

    /// If the registry names another unlock root than memory, an authenticator ended before it could report that. The
    /// vault is then opened again.
    func followRegistry(in vaultActor: isolated VaultActor) throws(Fault) {
        guard let open = vaultActor.open else { return }
        let record: RegistryRecord?
        // The record alone. The open file is read from even if somebody has removed it.
        do throws(RegistryError) { record = try vaultActor.dependencies.registry.record(for: vaultActor.owner) } catch {
            throw Fault(error)
        }
        guard let record else {
            _ = try vaultActor.registered()
            return
        }
        guard record.objects[.unlockRoot] != open.record.objects[.unlockRoot] else { return }
        vaultActor.open = nil
    }

    /// Removes what a replacement has left behind. The TPM comes first, because the file names what to remove there. A
    /// failed removal is repeated when the vault is opened next. In either case the vault opens with what the registry
    /// names.
    ///
    /// - Returns: how many items were removed.
    @discardableResult
    func finish(in vaultActor: isolated VaultActor) async -> Int {
        // `try?`: `use` notes damage, and a full disk is no reason to keep the person waiting.
        (try? await removeLeftovers(in: vaultActor)) ?? 0
    }

    /// - Throws: why the file keeps what was left behind.
    private func removeLeftovers(in vaultActor: isolated VaultActor) async throws(Fault) -> Int {
        guard let vault = vaultActor.open?.vault, vault.isBindingUnfinished else { return 0 }
        if let index = vault.uselessIndex, await !vaultActor.dependencies.removeIndex(index) { return 0 }
        return try await vaultActor.use { state in try state.vault.finishBinding() }
    }
}
