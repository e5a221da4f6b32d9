import BrokerProtocol
import Platform
import Varlink

/// One prompt, shown or about to be shown by one of the authenticator's processes, and how it ended.
struct SharedPrompt: Codable, Equatable {
    let group: PromptGroup
    /// Which start of the machine it was shown in.
    let boot: String
    /// The authenticator's process that asks.
    let leader: Server
    /// nil while the person is asked.
    var outcome: Outcome?

    /// One of the authenticator's processes.
    struct Server: Codable, Equatable {
        let pid: Int32
        let startTime: UInt64

        init(_ process: ProcessIdentity) {
            pid = process.pid
            startTime = process.startTime
        }

        var isAlive: Bool {
            // A process that cannot be looked at has ended.
            (try? ProcessIdentity(observing: pid)) == ProcessIdentity(pid: pid, startTime: startTime)
        }
    }

    /// How the person answered, and for what.
    struct Outcome: Codable, Equatable {
        let answer: Answer
        /// The tokens of the items that the person was shown, and whose requests have not taken the answer yet. Each takes it once.
        var items: Set<String>
        /// The tokens whose requests have, with the processes that serve them: while these live, nobody needs to be asked for the same again.
        var taken: [String: Server]
        /// In milliseconds of the boot clock.
        let time: Int64
    }

    enum Answer: Codable, Equatable {
        case yes
        case refused(Fault, reason: String)
        case cancelled
        case timedOut

        /// - Returns: nil where nothing was learnt of the person: whoever waits then asks again.
        init?(_ error: ConversationError) {
            switch error {
            case .refused(let refusal) where refusal.fault.name == .authenticationFailed:
                self = .refused(refusal.fault, reason: refusal.reason)
            case .cancelled: self = .cancelled
            case .timedOut: self = .timedOut
            case .refused, .gone, .terminated: return nil
            }
        }

        /// What the waiting request comes to; nil for yes.
        var error: ConversationError? {
            switch self {
            case .yes: nil
            case .refused(let fault, let reason): .refused(ConversationError.Refusal(fault: fault, reason: reason))
            case .cancelled: .cancelled
            case .timedOut: .timedOut
            }
        }
    }
}
