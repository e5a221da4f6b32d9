import Authorization
import BrokerProtocol
import Cryptography
import Item
import JSON
import Platform
import Varlink

/// One prompt that a process of the authenticator shows or is about to show, and its outcome.
struct SharedPrompt: JSONValue, Equatable {
    let group: PromptGroup
    /// The boot ID at the time of the prompt.
    let boot: String
    /// The process that asks the person.
    let leader: Server
    /// nil while the person is asked.
    var outcome: Outcome?

    /// One of the authenticator's processes.
    struct Server: JSONValue, Equatable {
        let pid: Int32
        let startTime: UInt64

        init(_ process: ProcessIdentity) {
            pid = process.pid
            startTime = process.startTime
        }

        var isAlive: Bool {
            // A process that cannot be read has ended.
            (try? ProcessIdentity(observing: pid)) == ProcessIdentity(pid: pid, startTime: startTime)
        }
    }

    /// The person's answer, and the items that it is for.
    struct Outcome: JSONValue, Equatable {
        let answer: Answer
        /// The tokens of shown items that still wait for the answer. Each request takes it once.
        var items: Set<String>
        /// The tokens of requests that have taken the answer, with their processes. While these live, the same request needs no new question.
        var taken: [String: Server]
        /// In milliseconds of the boot clock.
        let time: Int64
    }

    enum Answer: JSONValue, Equatable {
        case yes
        case refused(Fault, reason: String)
        case cancelled
        case timedOut

        /// - Returns: nil where nothing was learnt of the person: whoever waits then asks again.
        init?(_ error: ConversationError) {
            switch error {
            case .refused(let refusal)
            where [.authenticationFailed, .authenticationTimedOut].contains(refusal.fault.name):
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

/// An item in a prompt, together with the one challenge that it is shown for.
struct ShownItem: Equatable {
    /// SHA-256 of the challenge, in hexadecimal.
    let challenge: String
    let service: String?
    let account: String?
    let kind: ItemKind?
    /// nil for `secret` alone.
    let fields: [String]?
    /// In the program's own words.
    let reason: String?

    /// - Throws: ``ConversationError`` if the digest cannot be computed.
    init(challenge: String, _ item: BrokerInterface.NamedItem, reason: String?) throws(ConversationError) {
        do throws(CryptographyError) { self.challenge = Hex.encode(try SHA256.digest(Array(challenge.utf8))) } catch {
            throw .refused(.misconfigured("the challenge cannot be digested: \(error.reason)"))
        }
        service = item.service
        account = item.account
        kind = item.kind
        fields = item.fields
        self.reason = reason
    }

    init(_ companion: BrokerInterface.Companion) {
        challenge = companion.digest
        service = companion.service
        account = companion.account
        kind = companion.kind
        fields = companion.fields
        reason = companion.reason
    }

    /// Identifies everything that the person saw. Another name under the same challenge gives another token.
    func token() throws(ConversationError) -> String {
        let texts = [challenge, service ?? "", account ?? "", kind?.rawValue ?? "", reason ?? ""] + (fields ?? [])
        let parts = texts.map { Array($0.utf8) }
        do throws(CryptographyError) { return Hex.encode(try SHA256.digest(LengthPrefixed.encode(parts))) } catch {
            throw .refused(.misconfigured("the item cannot be digested: \(error.reason)"))
        }
    }
}
