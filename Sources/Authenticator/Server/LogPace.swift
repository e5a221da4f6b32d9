/// Which conversations the log gets a line about although nobody has answered in them. A user can begin them without end,
/// and must not fill the log with them.
struct LogPace {
    /// What the log does not have.
    struct Gap: Equatable {
        /// nil for all users together.
        let uid: UInt32?
        let count: Int
    }

    private struct Account {
        /// When the lines so far would have been written at the pace.
        var due: ContinuousClock.Instant
        var leftOut = 0
    }

    /// Lines about nobody, and about users for whom there is no room. No account has this number.
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
    /// - Returns: what was left out of theirs. A user who begins conversations without end is not told again and again.
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
