import Authorization
import BrokerProtocol
import Item
import Platform
import Varlink
import Vault

/// What a call asked for, for the record of its refusal.
struct LoggedCall: Sendable {
    let event: AccessRecord.Event
    var service: String?
    var account: String?
    var kind: ItemKind?
    var reason: String?

    /// Refusals by a rule. An error about a missing item or an invalid call is not a refusal.
    private static let refusals: Set<Fault.Name> = [
        .locked, .challengeRefused, .notPermitted, .applicationPasswordRefused,
    ]

    /// - Returns: nil if the error is not a refusal.
    func record(of fault: Fault, by request: Request) -> AccessRecord? {
        guard Self.refusals.contains(fault.name), request.condition != .none else { return nil }
        // A name longer than any item's tells nothing and takes room, so it is left out.
        let subject = service.flatMap { service in
            max(service.utf8.count, account?.utf8.count ?? 0) > ItemLimits.name
                ? nil
                : AccessRecord.Subject(
                    item: nil, service: service, account: account, kind: kind ?? .genericPassword, require: [])
        }
        return AccessRecord(
            event, outcome: OutcomeWord.of(fault), by: request.program(), of: subject,
            reason: reason.flatMap { $0.utf8.count > ItemLimits.reason ? nil : $0 })
    }
}

/// The program that did something, as the access log names it.
enum LoggedProgram {
    /// The detail of a read by a program that asks for another one.
    static let forOthers = "for another program"

    /// A caller, as it was when it connected.
    /// - Parameter resolved: the program that the process ran when it connected to the authenticator, as the kernel
    ///   names it. Without it, the log has only the name that the process gave itself.
    static func of(_ caller: Caller, resolved: String? = nil) -> AccessRecord.Program {
        AccessRecord.Program(
            uid: caller.uid, pid: caller.process.pid, name: resolved ?? caller.traits.name,
            isResolved: resolved != nil, controlGroup: caller.traits.controlGroup)
    }

    /// The process that asked, as it was when it connected. It may have ended since.
    static func of(_ challenge: Challenge) -> AccessRecord.Program {
        AccessRecord.Program(
            uid: challenge.uid, pid: challenge.process.pid, name: challenge.program ?? challenge.traits.name,
            isResolved: challenge.program != nil, controlGroup: challenge.traits.controlGroup)
    }
}

/// Why something was refused, as the access log names it: the error's own name, such as `challenge-refused`.
enum OutcomeWord {
    /// A person was needed, but the program did not ask one.
    static let nobodyAsked = "authentication-required"
    /// Nobody answered in time, or the answer was not used in time.
    static let expired = "expired"
    /// The program or its request was gone before the answer.
    static let cancelled = "cancelled"
    static let locked = "locked"

    static func of(_ fault: Fault) -> String {
        let name = fault.name.rawValue.split(separator: ".").last ?? "failed"
        if name == "TPM" { return "tpm" }
        var word = ""
        for letter in name {
            if letter.isUppercase, !word.isEmpty { word += "-" }
            word += letter.lowercased()
        }
        return word
    }
}

/// Records as clients see them.
extension Keychain.LogRecord {
    init(_ record: AccessRecord) {
        self.init(
            sequence: Int64(clamping: record.sequence), time: Int64(clamping: record.time),
            event: record.event.rawValue, outcome: record.outcome, resolved: record.program?.isResolved ?? false,
            require: record.subject?.require ?? [])
        uid = record.program.map { Int64($0.uid) }
        pid = record.program.map { Int64($0.pid) }
        program = record.program?.name
        controlGroup = record.program?.controlGroup
        item = record.subject?.item
        service = record.subject?.service
        account = record.subject?.account
        kind = record.subject?.kind
        reason = record.reason
        detail = record.detail
        missed = record.missed.map { Int64($0) }
    }
}

extension AccessRecord {
    /// The records of a challenge that was not answered or was refused, one for each of its items.
    ///
    /// - Parameter why: the reason, in one word.
    /// - Returns: none if nothing is recorded. Without a vault there is no log and nothing to protect. A check for
    ///   enrolled fingers asks nobody.
    static func refusals(of challenge: Challenge, _ why: String) -> [AccessRecord] {
        guard challenge.vault != nil, let event = challenge.request.event else { return [] }
        let program = LoggedProgram.of(challenge)
        func record(_ subject: AccessRecord.Subject?) -> AccessRecord {
            AccessRecord(event, outcome: why, by: program, of: subject, reason: challenge.reason)
        }
        let subjects = challenge.request.subjects
        guard !subjects.isEmpty else { return [record(nil)] }
        let signatures = challenge.choice.authorizations.filter { $0.role.isAgreementKey }
        return subjects.map { subject in
            record(
                AccessRecord.Subject(
                    item: subject.item.description, service: subject.service, account: subject.account,
                    kind: subject.kind,
                    require: AuthorizationKind.allCases.filter { kind in
                        signatures.contains { $0.item ?? subject.item == subject.item && $0.kind == kind }
                    }.map(\.rawValue)))
        }
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

    /// Counts refusals for which there was no room before this.
    mutating func count(_ more: Int) { counted += more }

    mutating func takeCount() -> Int {
        defer { counted = 0 }
        return counted
    }
}
