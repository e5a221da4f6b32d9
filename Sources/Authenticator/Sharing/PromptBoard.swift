import Authorization
import JSON
import Platform

/// The open prompts of one user. With it, the authenticator's processes see whether another of them already asks for the same program.
struct PromptBoard {
    /// The next step of a request.
    enum Turn: Equatable {
        /// Ask the person.
        case ask
        /// Another process asks.
        case wait
        /// The person was shown this very request and has answered. The request takes the answer with this call.
        case answered(SharedPrompt.Answer)
    }

    private let file: StateFile<[SharedPrompt]>
    private let group: PromptGroup
    private let boot: String
    private let own: SharedPrompt.Server

    /// - Throws: ``ConversationError`` if the folder cannot be used.
    init(registryDirectory: String, uid: UInt32, group: PromptGroup) throws(ConversationError) {
        do throws(SystemError) {
            file = try StateFile(registryDirectory: registryDirectory, folder: "prompts", uid: uid, nothing: [])
            boot = try BootTime.bootID()
            own = SharedPrompt.Server(try ProcessIdentity.current())
        } catch {
            throw .refused(.misconfigured(error))
        }
        self.group = group
    }

    /// - Parameter token: the token of the request's own item.
    func turn(of token: String) throws(ConversationError) -> Turn {
        try update { prompts in
            for index in prompts.indices where prompts[index].group == group {
                guard let outcome = prompts[index].outcome, outcome.items.contains(token) else { continue }
                // Each request takes the answer once, so that one answer never earns a second signature.
                prompts[index].outcome?.items.remove(token)
                prompts[index].outcome?.taken[token] = own
                return .answered(outcome.answer)
            }
            if prompts.contains(where: { $0.group == group && $0.outcome == nil }) { return .wait }
            prompts.append(SharedPrompt(group: group, boot: boot, leader: own, outcome: nil))
            return .ask
        }
    }

    /// The tokens of requests that the person has answered already. They must not be shown again.
    func answered() throws(ConversationError) -> Set<String> {
        try update { prompts in
            prompts.filter { $0.group == group }.compactMap(\.outcome).reduce(into: []) {
                $0.formUnion($1.items.union($1.taken.keys))
            }
        }
    }

    /// Records that this process has asked, and takes the answer for its own request.
    /// - Parameters:
    ///   - answer: nil if the person gave none; then the next request asks.
    ///   - token: the token of this process's request.
    ///   - items: the tokens of the items that the person was shown.
    func end(_ answer: SharedPrompt.Answer?, of token: String, for items: Set<String>) throws(ConversationError) {
        try update { prompts in
            guard
                let index = prompts.firstIndex(where: { $0.group == group && $0.leader == own && $0.outcome == nil })
            else { return }
            guard let answer else {
                prompts.remove(at: index)
                return
            }
            prompts[index].outcome = SharedPrompt.Outcome(
                answer: answer, items: items.subtracting([token]), taken: [token: own], time: BootTime.milliseconds)
        }
    }

    private func update<Value>(_ change: (inout [SharedPrompt]) -> Value) throws(ConversationError) -> Value {
        do throws(SystemError) {
            return try file.update { prompts in
                let now = BootTime.milliseconds
                prompts = prompts.compactMap { present($0, at: now) }
                defer { prompts = prompts.suffix(SharingLimits.prompts) }
                return change(&prompts)
            }
        } catch {
            throw .refused(.misconfigured(error))
        }
    }

    /// Keeps an answer for a while, and a question for as long as its process lives.
    /// - Returns: nil if the prompt is over.
    private func present(_ prompt: SharedPrompt, at now: Int64) -> SharedPrompt? {
        guard prompt.boot == boot else { return nil }
        guard var outcome = prompt.outcome else { return prompt.leader.isAlive ? prompt : nil }
        let (age, isOutOfRange) = now.subtractingReportingOverflow(outcome.time)
        if outcome.time > now || isOutOfRange || age >= SharingLimits.memory { outcome.items = [] }
        outcome.taken = outcome.taken.filter { $0.value.isAlive }
        guard !outcome.items.isEmpty || !outcome.taken.isEmpty else { return nil }
        var present = prompt
        present.outcome = outcome
        return present
    }
}

/// What requests must have in common for one prompt to answer them: the process, the vault's owner, the purposes, the PAM services and the
/// enrolled fingers.
struct PromptGroup: JSONValue, Equatable {
    let pid: Int32
    let startTime: UInt64
    let owner: String
    let purposes: [String]
    let services: [String]
    /// The digest of the fingers that must be enrolled while a finger is asked for; nil if any finger counts.
    let fingers: String?

    init(
        pid: Int32, startTime: UInt64, owner: String, purposes: [String], services: [String], fingers: String? = nil
    ) {
        self.pid = pid
        self.startTime = startTime
        self.owner = owner
        self.purposes = purposes
        self.services = services
        self.fingers = fingers
    }

    init(_ client: Client, _ checked: CheckedRequest) {
        pid = client.process.pid
        startTime = client.process.startTime
        owner = checked.claim.owner.text
        purposes = checked.request.purposes
        services = checked.services.all.map(\.rawValue)
        fingers = checked.services.fingers.map(Hex.encode)
    }
}
