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
