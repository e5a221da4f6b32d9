/// Which changes the TPM counts, and when: what must not be rolled back takes a step of its counter or leaves one, and what
/// is only written waits for the next advance.
extension Change {
    /// Advances the epoch, for changes that must not be rolled back: deletion, change of policy, rotation. One change
    /// takes one step at most.
    ///
    /// - Parameter wait: how long the change waits if it leaves its step.
    /// - Throws: `.uncounted`.
    func moveEpoch(_ wait: CounterWait = .always) throws(VaultError) {
        guard protection == .soon || wait == .always, next.epoch == header.epoch else { return }
        switch step {
        case .taken:
            next.epoch += 1
            next.advanceDue = .nothing
        case .left: leftStep = max(leftStep ?? wait, wait)
        case .refused: throw .uncounted
        }
    }
}

/// What the epoch must still advance for (docs/vault-format.md, "header").
enum AdvanceDue: UInt8, Sendable, Comparable {
    case nothing = 0
    /// Items were only written, so the next advance is soon enough.
    case writes = 1
    /// A change that must not be rolled back has left its step. It may have been acknowledged already. An opening that
    /// finds this steps at once.
    case step = 2

    static func < (one: AdvanceDue, other: AdvanceDue) -> Bool { one.rawValue < other.rawValue }
}

/// How long a change that must not be rolled back waits for the TPM's counter (docs/vault-format.md, "Changes that
/// need not wait").
public enum CounterWait: Sendable, Comparable {
    /// Only for a step that is free. If none is free, the change is acknowledged, and its step follows soon.
    case forFreeStep
    /// Until the change is counted.
    case always
}

/// When a deletion, or a list of changes, is protected against an older copy of the file.
public enum DeletionProtection: Sendable {
    /// By the next step.
    case soon
    /// By the next advance, as everything that is only written. For what is worth nothing to an attacker, such as a
    /// cache.
    case later
}
