/// Decides which conversations get a line in the log although nobody answers in them. A user can begin such
/// conversations without end, and must not fill the log with them.
struct LogPace {
    /// Lines that were left out.
    struct Gap: Equatable {
        /// nil if they are not one user's.
        let uid: UInt32?
        let count: Int
    }

    private struct Account {
        /// When all lines so far would be written, if each took its interval.
        var due: ContinuousClock.Instant
        var leftOut = 0
    }

    /// Stands for connections of unknown users, and for all users beyond the limit. No account has this number.
    static let nobody = UInt32.max

    private var accounts: [UInt32: Account] = [:]
    /// As for an account, for all together.
    private var common: Account?

    /// Counts a line.
    /// - Returns: false if it is to be left out.
    mutating func takes(of uid: UInt32, at now: ContinuousClock.Instant = .now) -> Bool {
        let known = accounts[uid] != nil || accounts.count < JournalLimits.users ? uid : Self.nobody
        var account = accounts[known] ?? Account(due: now)
        var common = self.common ?? Account(due: now)
        let next = max(account.due, now) + JournalLimits.interval
        let nextOfAll = max(common.due, now) + JournalLimits.commonInterval
        if next - now > JournalLimits.interval * JournalLimits.burst {
            account.leftOut += 1
            accounts[known] = account
            return false
        }
        if nextOfAll - now > JournalLimits.commonInterval * JournalLimits.commonBurst {
            common.leftOut += 1
            self.common = common
            return false
        }
        account.due = next
        common.due = nextOfAll
        accounts[known] = account
        self.common = common
        return true
    }

    /// Forgets the users who have had a break.
    /// - Returns: how many of their lines were left out. It has no count for a user who begins conversations without
    ///   end, because such counts would fill the log.
    mutating func takeGaps(at now: ContinuousClock.Instant = .now) -> [Gap] {
        var gaps: [Gap] = []
        for (uid, account) in accounts where account.due <= now {
            accounts[uid] = nil
            if account.leftOut > 0 { gaps.append(Gap(uid: uid == Self.nobody ? nil : uid, count: account.leftOut)) }
        }
        if let common, common.due <= now {
            self.common = nil
            if common.leftOut > 0 { gaps.append(Gap(uid: nil, count: common.leftOut)) }
        }
        return gaps
    }
}
