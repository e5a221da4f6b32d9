import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Varlink
import Vault

/// Another unlock root, under a password or under none. File first, then root's registry, then use: a crash in between leaves a vault that opens by what the
/// registry names.
extension VaultActor {
    /// Seals another unlock root and puts it into the file, beside the one in use. One at a time.
    ///
    /// - Parameters:
    ///   - root: the one in use, as a signature released it.
    ///   - pin: nil for a vault that is to be bound no longer.
    /// - Returns: the other one, and as what it was sealed.
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

    /// Puts another unlock root, and what else is sealed anew with it, into the file.
    ///
    /// - Parameters:
    ///   - root: the one in use.
    ///   - check: whether the vault is one for this.
    ///   - seal: gets the other one.
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
                // What cannot be removed stays in the TPM, of use to nobody.
                if let index = sealed.madeIndex { try? sealer.removeIndex(index) }
            }
        } catch { throw Fault(error) }
        do throws(Fault) {
            // The TPM took its time.
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

    /// The registry names it: the vault is open with it, and what was before is gone from file and TPM.
    ///
    /// - Returns: how many items went with the binding.
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
            // Whoever was given the unlock root that was in use so far would find that it opens nothing.
            dependencies.challenges.dropUnlocking(owner, but: challenge)
        } catch {
            // What is in memory is not what the registry says: it is opened anew.
            open = nil
            throw noting(Fault(error))
        }
        state.record = record
        open = state
        // Locked meanwhile, it is bound all the same, and stays locked.
        _ = held.unlock(keys, at: Self.milliseconds) { dependencies.challenges.isOpen(challenge) }
        let lost = await finishBinding()
        binding = nil
        return lost
    }

    /// Where the registry names another unlock root than the one in memory, an authenticator ended before it could say so: the vault is opened anew.
    func followRegistry() async throws(Fault) {
        guard let open, let record = try VaultOpener(owner: owner, dependencies: dependencies).registered(),
            record.objects[.unlockRoot] != open.record.objects[.unlockRoot]
        else { return }
        self.open = nil
    }

    /// Lets go of what a binding, or its end, has left behind: in the TPM first, because the file says what that is. What does not succeed now is done
    /// when the vault is opened next; the vault opens by what the registry names either way.
    ///
    /// - Returns: how many items went.
    @discardableResult
    func finishBinding() async -> Int {
        guard let vault = open?.vault, vault.isBindingUnfinished else { return 0 }
        if let index = vault.uselessIndex, await !removeIndex(index) { return 0 }
        // Damage is noted by `use`; a full disk is no reason to keep the person waiting.
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
