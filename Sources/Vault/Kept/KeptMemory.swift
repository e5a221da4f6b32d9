import Synchronization

/// The memory that all vaults of a process together may take for what they keep of their files. A part of it is
/// reserved for vaults that take little, so that large vaults cannot take everything.
public final class KeptMemory: Sendable {
    private let limits: KeptLimits
    private let total = Mutex(0)

    public convenience init() { self.init(KeptLimits()) }

    init(_ limits: KeptLimits) { self.limits = limits }

    /// - Parameter held: what the vault has already.
    /// - Returns: whether the vault may take so much more.
    func take(_ bytes: Int, held: Int) -> Bool {
        let most = held + bytes <= limits.ensured ? limits.all : limits.all - limits.reserve
        return total.withLock { total in
            guard bytes <= most - total else { return false }
            total += bytes
            return true
        }
    }

    func give(back bytes: Int) { total.withLock { $0 -= bytes } }

    /// What all vaults have taken.
    var taken: Int { total.withLock { $0 } }
}
