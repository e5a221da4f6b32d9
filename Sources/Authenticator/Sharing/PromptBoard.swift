import Platform

/// The prompts of one user, for the authenticator's processes to see whether another of them asks for the same program already.
struct PromptBoard {
    /// What a request has to do.
    enum Turn: Equatable {
        /// Ask the person.
        case ask
        /// Another process asks.
        case wait
        /// The person has answered, and was shown this very request, which has taken the answer with that.
        case answered(SharedPrompt.Answer)
    }

    private let file: StateFile<[SharedPrompt]>
    private let group: PromptGroup
    private let boot: String
    private let own: SharedPrompt.Server

    /// For how long an answer is good for the requests that were shown, in milliseconds.
    static let memory: Int64 = 10_000
    /// More prompts of one user than can be open at once.
    private static let limit = 128

    /// - Throws: ``ConversationError`` where the folder cannot be used.
    init(registryDirectory: String, uid: UInt32, group: PromptGroup) throws(ConversationError) {
        do throws(SystemError) {
            file = try StateFile(registryDirectory: registryDirectory, folder: "prompts", uid: uid, nothing: [])
            boot = try BootTime.bootID()
            own = SharedPrompt.Server(try ProcessIdentity.current())
        } catch {
            throw .refused(.misconfigured("The authenticator \(error)."))
        }
        self.group = group
    }

    /// - Parameter token: the request's own item.
    func turn(of token: String) throws(ConversationError) -> Turn {
        try update { prompts in
            for index in prompts.indices where prompts[index].group == group {
                guard let outcome = prompts[index].outcome, outcome.items.contains(token) else { continue }
                // Once: nobody has a second signature made for one answer.
                prompts[index].outcome?.items.remove(token)
                prompts[index].outcome?.taken[token] = own
                return .answered(outcome.answer)
            }
            if prompts.contains(where: { $0.group == group && $0.outcome == nil }) { return .wait }
            prompts.append(SharedPrompt(group: group, boot: boot, leader: own, outcome: nil))
            return .ask
        }
    }

    /// The tokens of what the person has answered already, and is not to be asked for again.
    func answered() throws(ConversationError) -> Set<String> {
        try update { prompts in
            prompts.filter { $0.group == group }.compactMap(\.outcome).reduce(into: []) {
                $0.formUnion($1.items.union($1.taken.keys))
            }
        }
    }

    /// This process has asked, and takes the answer for its own request.
    /// - Parameters:
    ///   - answer: nil where nothing was learnt of the person; the next request asks then.
    ///   - token: the own request's.
    ///   - items: the tokens of what the person was shown.
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
                defer { prompts = prompts.suffix(Self.limit) }
                return change(&prompts)
            }
        } catch {
            throw .refused(.misconfigured("The authenticator \(error)."))
        }
    }

    /// An answer is remembered for a while, a question for as long as its process lives.
    /// - Returns: nil for what is over.
    private func present(_ prompt: SharedPrompt, at now: Int64) -> SharedPrompt? {
        guard prompt.boot == boot else { return nil }
        guard var outcome = prompt.outcome else { return prompt.leader.isAlive ? prompt : nil }
        let (age, isOutOfRange) = now.subtractingReportingOverflow(outcome.time)
        if outcome.time > now || isOutOfRange || age >= Self.memory { outcome.items = [] }
        outcome.taken = outcome.taken.filter { $0.value.isAlive }
        guard !outcome.items.isEmpty || !outcome.taken.isEmpty else { return nil }
        var present = prompt
        present.outcome = outcome
        return present
    }
}
