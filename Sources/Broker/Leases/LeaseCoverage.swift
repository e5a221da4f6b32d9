import Authorization
import Platform
import Vault

/// Decides what a lease covers. It covers the process that it was granted to and its descendants, by the kernel's word
/// (`ProcessAncestry`). For these it covers the signatures that the person was asked for, and no other.
extension LeaseStore {
    /// Whether one lease covers a whole way to answer this challenge, for its process.
    func covers(_ challenge: Challenge) -> Bool {
        !challenge.forOthers
            && covers(challenge.request, of: challenge.uid, challenge.process, owner: challenge.owner, challenge.vault)
    }

    /// Whether one lease of this process covers a whole way to answer a request.
    func covers(
        _ request: Challenge.Request, of uid: UInt32, _ process: ProcessIdentity, owner: Owner, _ vault: VaultID?
    ) -> Bool {
        guard request.canBeLeased else { return false }
        let choice = request.choice
        return valid(for: process, of: uid, owner, vault).contains { lease in
            choice.alternatives.contains { way in
                !way.isEmpty && way.allSatisfy { lease.includes(choice.authorizations[$0]) }
            }
        }
    }

    /// Whether a lease covers one of the challenge's signatures, for its process.
    func covers(_ authorization: Challenge.Authorization, of challenge: Challenge) -> Bool {
        guard challenge.request.canBeLeased, !challenge.forOthers else { return false }
        return valid(for: challenge.process, of: challenge.uid, challenge.owner, challenge.vault).contains {
            $0.includes(authorization)
        }
    }

    /// The user's leases from this vault that the process is within.
    private func valid(
        for process: ProcessIdentity, of uid: UInt32, _ owner: Owner, _ vault: VaultID?
    ) -> [Lease] {
        // The store's mutex is free, because this reads files.
        leases(of: uid, from: owner, vault).filter { ProcessAncestry.isWithin(process, $0.leader) }
    }
}

extension Lease {
    /// Whether the lease includes this signature. No other version of any item has the same point.
    func includes(_ wanted: Challenge.Authorization) -> Bool {
        items.contains { item in
            item.signatures.contains {
                $0.role == wanted.role && $0.kind == wanted.kind && $0.point != nil && $0.point == wanted.point
            }
        }
    }
}
