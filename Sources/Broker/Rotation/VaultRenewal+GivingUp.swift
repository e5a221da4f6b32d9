import Authorization
import Cryptography
import Varlink
import Vault

/// The steps that write the successor's file. If the disk does not take it, the successor is given up at once. It could
/// take the last room, and then the vault in use can store nothing and record no read.
extension VaultRenewal {
    /// The person agreed. Makes a successor, unless an earlier session left one that can be used.
    ///
    /// - Parameters:
    ///   - authenticatorKey: the key whose signatures the successor trusts.
    ///   - binding: for a bound vault, the PIN derived from its password, and the salt of that derivation.
    func begin(
        in vaultActor: isolated VaultActor, for challenge: Challenge, authenticatorKey: [UInt8],
        binding: (pin: SecretBytes, salt: [UInt8])?
    ) async throws(Fault) {
        do throws(Fault) {
            try await makeReady(in: vaultActor, for: challenge, authenticatorKey: authenticatorKey, binding: binding)
        } catch {
            await giveUp(after: error, of: challenge.id, in: vaultActor)
            throw error
        }
    }

    /// Takes what a constraint key agreed on for one item. When the last one is there, the item is sealed again.
    func agree(
        in vaultActor: isolated VaultActor, for challenge: Challenge, at index: Int, _ secret: SecretBytes
    ) async throws(Fault) -> [ItemID] {
        do throws(Fault) { return try sealAgain(in: vaultActor, for: challenge, at: index, secret) } catch {
            await giveUp(after: error, of: challenge.id, in: vaultActor)
            throw error
        }
    }

    /// Seals again all items that need no person. If nothing is left, completes the successor. From then on, all calls
    /// wait until the registry has decided.
    ///
    /// - Parameter connection: the authenticator's connection.
    /// - Returns: the successor's record, or nil if items are left that need a person; and the items that were read with
    ///   an application password.
    func succeed(
        in vaultActor: isolated VaultActor, for challenge: Challenge, over connection: UInt64
    ) async throws(Fault) -> (record: RegistryRecord?, withPassword: [ItemID]) {
        do throws(Fault) { return try await fill(in: vaultActor, for: challenge, over: connection) } catch {
            await giveUp(after: error, of: challenge.id, in: vaultActor)
            throw error
        }
    }

    /// Takes the signature that ``circleSigning(in:for:)`` was for.
    func take(
        in vaultActor: isolated VaultActor, _ signature: SecretBytes, for challenge: Challenge.ID
    ) async throws(Fault) {
        do throws(Fault) { try noteSignature(in: vaultActor, signature, for: challenge) } catch {
            await giveUp(after: error, of: challenge, in: vaultActor)
            throw error
        }
    }

    /// Gives up the successor if a file was the reason for an error. The registry must not be about to name it.
    private func giveUp(after fault: Fault, of challenge: Challenge.ID, in vaultActor: isolated VaultActor) async {
        guard fault.name == .failed, vaultActor.isUnderWay(for: challenge), !isOffered else { return }
        // Only an error of the file system has a cause below it. `try?`: a file that cannot be looked at is not there.
        let isInPlace = renewal.map { (try? $0.successor.checkFile()) != nil } ?? true
        guard fault.details.cause != nil || !isInPlace else { return }
        await abandon(in: vaultActor)
    }

    /// Gives up the successor, with its files and its indexes in the TPM.
    func abandon(in vaultActor: isolated VaultActor) async {
        let (owner, dependencies) = (vaultActor.owner, vaultActor.dependencies)
        // `try?`: a note that cannot be read counts as none.
        let noted = try? vaultActor.open?.vault.succession
        close()
        // `try?`: what stays is removed when another renewal begins.
        try? VaultFile.giveUpSuccessor(of: owner, in: dependencies.directory)
        guard let noted, await dependencies.removeIndexes(of: noted.record), renewal == nil else { return }
        // `try?`: as above.
        guard (try? vaultActor.open?.vault.succession)?.record == noted.record else { return }
        // `try?`: it tells of nothing that is left, and another renewal replaces it.
        try? VaultFile.forgetSuccession(of: owner, in: dependencies.directory)
    }
}
