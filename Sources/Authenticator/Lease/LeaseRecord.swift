import Authorization
import JSON
import Platform

/// One lease that a person has granted: which process and its descendants get which signatures, and until when (docs/leases.md). It is the
/// authenticator's own record. The broker can neither add to it nor prolong it.
struct LeaseRecord: JSONValue, Equatable {
    /// The boot ID at the time of the answer.
    let boot: String
    /// The owner of the vault, and the vault. Another vault in its place is not the one that the person was asked about.
    let owner: String
    let vault: String
    let leader: Int32
    let leaderStart: UInt64
    let signatures: [Signature]
    /// When the person began to be asked, in milliseconds of the boot clock. A lock after that moment ends the lease.
    let asked: Int64
    /// When the lease ends, in milliseconds of the boot clock.
    let ends: Int64

    /// A signature that the person was asked for, by what the TPM will do with it.
    struct Signature: JSONValue, Equatable {
        let kind: String
        /// The point of this one version of one item, base64.
        let point: String
        /// The hash of the one command that uses the point, base64. The authenticator has signed over it when the lease was granted.
        let parameterHash: String
    }

    var process: ProcessIdentity { ProcessIdentity(pid: leader, startTime: leaderStart) }

    /// Whether the record is still to be kept.
    func isAlive(boot: String, at now: Int64) -> Bool {
        let (kept, isOutOfRange) = ends.subtractingReportingOverflow(asked)
        return boot == self.boot && asked <= now && now < ends && !isOutOfRange && kept <= SignedLeaseLimits.lifetime
    }

    /// Whether the lease is for this vault and no lock came since the person was asked.
    /// - Parameter lastLock: when the user's vault was last locked, in milliseconds of the boot clock.
    func holds(for owner: Owner, _ vault: VaultID, lastLock: Int64) -> Bool {
        owner.text == self.owner && vault.hex == self.vault && asked > lastLock
    }

    /// The signature for this kind and point; nil if the lease does not include it.
    func signature(_ wanted: SignatureWays.Signature) -> Signature? {
        signatures.first { $0.kind == wanted.kind.rawValue && $0.point == wanted.point }
    }
}

/// For which requests a lease replaces the question: reading the present value of items. Never for unlocking, for changes or for another lease.
enum LeaseRule {
    static func allows(_ request: PersonRequest) -> Bool {
        guard request.kind.accepts(.lease), !request.unlocks else { return false }
        // A former value is asked for, because the prompt for the lease did not name it.
        return request.items.allSatisfy { $0.version == nil }
    }
}
