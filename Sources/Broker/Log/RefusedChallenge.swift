import BrokerProtocol
import Vault

extension AccessRecord {
    /// The record of a challenge that was not answered or was refused.
    ///
    /// - Parameter why: the reason, in one word.
    /// - Returns: nil if nothing is recorded. Without a vault there is no log and nothing to protect. A check for
    ///   enrolled fingers asks nobody.
    init?(refusing challenge: Challenge, _ why: String) {
        guard challenge.vault != nil, challenge.purposes != [.enrolment] else { return nil }
        let event: AccessRecord.Event
        if challenge.purposes.contains(.read) {
            event = .read
        } else if challenge.purposes.contains(.change) {
            event = .edit
        } else if challenge.purposes.contains(.rename) {
            event = .rename
        } else if challenge.purposes.contains(.recovery) {
            event = .recovery
        } else if challenge.purposes.contains(.accept) {
            event = .accept
        } else if let changed = AuthenticatorSession.event(of: challenge) {
            event = changed
        } else if challenge.purposes.contains(.rotate) {
            event = .rotate
        } else {
            event = challenge.purposes.contains(.create) ? .create : .unlock
        }
        let subject = challenge.subject.map { subject in
            AccessRecord.Subject(
                item: subject.item.description, service: subject.service, account: subject.account,
                require: challenge.choice.authorizations.filter { $0.role.isAgreementKey }.map(
                    \.kind.rawValue))
        }
        self.init(
            event, outcome: why, by: LoggedProgram.of(challenge), of: subject, reason: challenge.reason)
    }
}
