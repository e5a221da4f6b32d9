import BrokerProtocol
import Vault

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
        reason = record.reason
        detail = record.detail
        missed = record.missed.map { Int64($0) }
    }
}
