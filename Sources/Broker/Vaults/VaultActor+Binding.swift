import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Varlink
import Vault

/// Replaces the unlock root by another one, with a password or without. The file changes first, then root's registry,
/// then the vault in use. After a crash in between, the vault opens with what the registry names.
extension VaultActor {
    /// Seals another unlock root and adds it to the file, beside the one in use. Only one challenge at a time can do
    /// this.
    ///
    /// - Parameters:
    ///   - root: the root in use, as a signature released it.
    ///   - pin: nil to unbind the vault.
    /// - Returns: the other root, and its sealed form.
    func reseal(
        for challenge: Challenge, root: SecretBytes, pin: SecretBytes?
    ) async throws(Fault) -> (SecretBytes, ResealedRoot) {
        let sealer = dependencies.sealer
        return try await replaceRoots(for: challenge, root) { (record) throws(Fault) in
            try BindingRule.check(record, for: challenge)
        } seal: { (next, state) throws(SealerError) in
            if let pin { return try sealer.bind(next, pin: pin, record: state.record) }
            return try sealer.sealUnbound(next, record: state.record)
        }
    }

    /// Adds another unlock root to the file, with everything that is sealed again with it.
    ///
    /// - Parameters:
    ///   - root: the root in use.
    ///   - check: throws if the vault does not allow this.
    ///   - seal: seals the other root.
    func replaceRoots<Sealed: Resealed>(
        for challenge: Challenge, _ root: SecretBytes, check: (RegistryRecord) throws(Fault) -> Void,
        seal: @escaping @Sendable (SecretBytes, OpenState) throws(SealerError) -> Sealed
    ) async throws(Fault) -> (SecretBytes, Sealed) {
        try claimBinding(challenge.id)
        try await followRegistry()
        try check(await opened().record)
        await finishBinding()
        let state = try await opened()
        let sealer = dependencies.sealer
        let made: (SecretBytes, Sealed)
        do throws(SealerError) {
            made = try await dependencies.sealerThread.run(within: dependencies.makingTime) { () throws(SealerError) in
                let next: SecretBytes
                do throws(CryptographyError) { next = try SecretBytes.random(count: 32) } catch {
                    throw SealerError(.other, "no random key could be made: \(error.reason)")
                }
                return (next, try seal(next, state))
            } undo: { (_, sealed) in
                // `try?`: an index that cannot be removed stays in the TPM and is worthless.
                if let index = sealed.madeIndex { try? sealer.removeIndex(index) }
            }
        } catch { throw Fault(error) }
        do throws(Fault) {
            // The challenge may have ended while the TPM worked.
            guard binding == challenge.id, dependencies.challenges.isOpen(challenge.id) else {
                throw Faults.challengeRefused
            }
            let abandoned = open?.vault.uselessIndex
            try await use { state in try made.1.begin(in: state.vault, from: root, to: made.0) }
            if let abandoned { await removeIndex(abandoned) }
        } catch {
            if let index = made.1.madeIndex { await removeIndex(index) }
            throw error
        }
        return made
    }

    /// The registry names the other root. The vault is now open with it, and the former root is gone from file and
    /// TPM.
    ///
    /// - Returns: how many items were lost with the binding.
    func adoptBinding(for challenge: Challenge.ID, root: SecretBytes, name: [UInt8]) async throws(Fault) -> Int {
        try claimBinding(challenge)
        _ = try await opened()
        guard let record = try VaultOpener(owner: owner, dependencies: dependencies).registered() else {
            throw Faults.notFound
        }
        guard record.objects[.unlockRoot] == name else {
            throw Fault(.notPermitted, "The registry does not name what the vault was sealed as.")
        }
        guard dependencies.challenges.isOpen(challenge), var state = open else { throw Faults.challengeRefused }
        let keys: ClassKeys
        do throws(VaultError) {
            try state.vault.take(record, sealer: dependencies.sealer)
            keys = try state.vault.classKeys(unlockRoot: root)
            // A challenge that released the former unlock root would find that it opens nothing.
            dependencies.challenges.dropUnlocking(owner, but: challenge)
        } catch {
            // Memory does not match the registry, so the vault is opened again.
            open = nil
            throw noting(Fault(error))
        }
        state.record = record
        open = state
        // If the vault was locked meanwhile, it is bound all the same, and stays locked.
        _ = held.unlock(keys, at: Self.milliseconds) { dependencies.challenges.isOpen(challenge) }
        let lost = await finishBinding()
        binding = nil
        return lost
    }

    /// If the registry names another unlock root than memory, an authenticator ended before it could report that. The
    /// vault is then opened again.
    func followRegistry() async throws(Fault) {
        guard let open, let record = try VaultOpener(owner: owner, dependencies: dependencies).registered(),
            record.objects[.unlockRoot] != open.record.objects[.unlockRoot]
        else { return }
        self.open = nil
    }

    /// Removes what a binding or its end has left behind. The TPM comes first, because the file names what to remove
    /// there. A failed removal is repeated when the vault is opened next. In either case the vault opens with what
    /// the registry names.
    ///
    /// - Returns: how many items were removed.
    @discardableResult
    func finishBinding() async -> Int {
        guard let vault = open?.vault, vault.isBindingUnfinished else { return 0 }
        if let index = vault.uselessIndex, await !removeIndex(index) { return 0 }
        // `try?`: `use` notes damage, and a full disk is no reason to keep the person waiting.
        return (try? await use { state in try state.vault.finishBinding() }) ?? 0
    }

    private func claimBinding(_ challenge: Challenge.ID) throws(Fault) {
        if let binding, binding != challenge, dependencies.challenges.isOpen(binding) {
            throw Fault(.failed, "Your vault is being sealed anew just now; try again in a moment.")
        }
        binding = challenge
    }

    static var milliseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
