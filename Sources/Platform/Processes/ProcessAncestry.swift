/// Which processes descend from which, by the kernel's word. Within one PID namespace, a process cannot choose its parent: it has the one that started
/// it, and when that one ends, the nearest ancestor that adopts orphans (prctl(2), PR_SET_CHILD_SUBREAPER), or process 1.
///
/// A program can enter a namespace that another program of its user has made, and leave an orphan there. The namespace's first process adopts it,
/// although that process descends from somebody else. So nobody in a deeper namespace than the leader counts, and nobody at all if the leader is the
/// first process of its namespace.
public enum ProcessAncestry {
    /// One process, and its parent's number.
    struct Entry: Equatable, Sendable {
        let identity: ProcessIdentity
        let parent: Int32
        /// In how many PID namespaces, one within the other, it has a number. A process can only enter deeper ones than its own, so on the way from a
        /// process to an ancestor of the same depth there is one namespace only.
        var depth = 1
        /// Whether it is the first process of its PID namespace, which adopts orphans of processes that do not descend from it.
        var isFirst = false
    }

    /// No real chain of processes is longer.
    static let longest = 256
    /// How often a chain is followed anew, because one of its processes ended meanwhile.
    static let attempts = 5

    /// Whether a process can be a leader: it lives, and whoever descends from it has been started by it or by its descendants.
    public static func canLead(_ process: ProcessIdentity) -> Bool { isWithin(process, process) }

    /// Whether a process is the leader, or descends from it, and both live. A process that cannot be followed to the leader does not.
    public static func isWithin(_ process: ProcessIdentity, _ leader: ProcessIdentity) -> Bool {
        isWithin(process, leader, by: entry)
    }

    static func isWithin(
        _ process: ProcessIdentity, _ leader: ProcessIdentity, by look: (Int32) throws(SystemError) -> Entry
    ) -> Bool {
        for _ in 0..<attempts {
            // An error means that a process on the way has ended. Its children have another parent by now.
            if let answer = try? follow(process, to: leader, by: look) { return answer }
        }
        return false
    }

    /// - Returns: nil if the chain changed while it was followed.
    private static func follow(
        _ process: ProcessIdentity, to leader: ProcessIdentity, by look: (Int32) throws(SystemError) -> Entry
    ) throws(SystemError) -> Bool? {
        var child = try look(process.pid)
        guard child.identity == process else { return false }
        let depth = child.depth
        for _ in 0..<longest {
            if child.identity == leader { return child.depth == depth && !child.isFirst }
            guard child.parent > 1 else { return false }
            let parent = try look(child.parent)
            // The parent can have ended since, and its number can be another process's. The child then has another parent. While the child names
            // this number, the number is its parent's, because everybody who could adopt it was there before.
            guard try look(child.identity.pid) == child else { return nil }
            child = parent
        }
        return false
    }

    private static func entry(_ pid: Int32) throws(SystemError) -> Entry {
        let held = try HeldProcess(observing: pid)
        let stat = try ProcessStat(pid: pid)
        let numbers = try ProcessStat.numbers(pid: pid)
        // All were read by the number. This checks that it was one process's all the time, and that this one lives.
        try held.check()
        return Entry(identity: held.identity, parent: stat.parent, depth: numbers.count, isFirst: numbers.last == 1)
    }
}
