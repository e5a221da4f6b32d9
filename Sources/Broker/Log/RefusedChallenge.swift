import BrokerProtocol
import Vault

extension AccessRecord {
    /// The record of a challenge that was not answered or was refused.
    ///
    /// - Parameter why: the reason, in one word.
    /// - Returns: nil if nothing is recorded. Without a vault there is no log and nothing to protect. A check for
    ///   enrolled fingers asks nobody.
    init?(refusing challenge: Challenge, _ why: String) {
        guard challenge.vault != nil, let event = challenge.request.event else { return nil }
        let subject = challenge.request.subject.map { subject in
            AccessRecord.Subject(
                item: subject.item.description, service: subject.service, account: subject.account,
                require: challenge.choice.authorizations.filter { $0.role.isAgreementKey }.map(
                    \.kind.rawValue))
        }
        self.init(
            event, outcome: why, by: LoggedProgram.of(challenge), of: subject, reason: challenge.reason)
    }
}

/// How many refusals a vault's log records one by one. A refusal costs a program nothing, so programs can cause them
/// without end. They must neither fill the disk nor displace the records of what was done. Further refusals are only
/// counted.
struct RefusalBudget: Sendable {
    private var spent = 0
    private var since: ContinuousClock.Instant?
    /// How many refusals were only counted since the last record.
    private var counted = 0

    /// - Returns: how many refusals before this one were only counted; nil if this one is only counted, too.
    mutating func take(at now: ContinuousClock.Instant) -> Int? {
        if let since {
            let regained = Int((now - since) / LogLimits.refusalPause)
            if regained > 0 {
                spent = max(0, spent - regained)
                self.since = since + LogLimits.refusalPause * regained
            }
        }
        if spent == 0 { since = now }
        guard spent < LogLimits.refusals else {
            counted += 1
            return nil
        }
        spent += 1
        return takeCount()
    }

    mutating func takeCount() -> Int {
        defer { counted = 0 }
        return counted
    }
}
