import Platform

/// The prompts of one user, for the authenticator's processes to see whether another of them asks for the same program already.
struct PromptBoard {
    /// What a request has to do.
    enum Turn: Equatable {
        /// Ask the person.
        case ask
        /// Another process asks.
        case wait
        /// The person has answered, and was shown this very request.
        case answered(SharedPrompt.Answer)
    }

    private let file: StateFile<[SharedPrompt]>
    private let group: PromptGroup
    private let boot: String
    private let own: ProcessIdentity

    /// For how long an answer is good for the requests that were shown, in milliseconds.
    static let memory: Int64 = 10_000
    /// More prompts of one user than can be open at once.
    private static let limit = 128

    /// - Throws: ``Ending`` where the folder cannot be used.
    init(registryDirectory: String, uid: UInt32, group: PromptGroup) throws(Ending) {
        do throws(SystemError) {
            file = try StateFile(registryDirectory: registryDirectory, folder: "prompts", uid: uid, nothing: [])
            boot = try BootTime.bootID()
            own = try ProcessIdentity.current()
        } catch {
            throw .refused(.misconfigured("The authenticator \(error)."))
        }
        self.group = group
    }

    /// - Parameter token: the request's own item.
    func turn(of token: String) throws(Ending) -> Turn {
        try update { prompts in
            let related = prompts.filter { $0.group == group }
            if let outcome = related.compactMap(\.outcome).first(where: { $0.items.contains(token) }) {
                return .answered(outcome.answer)
            }
            if related.contains(where: { $0.outcome == nil }) { return .wait }
            prompts.append(
                SharedPrompt(group: group, boot: boot, leader: own.pid, leaderStart: own.startTime, outcome: nil))
            return .ask
        }
    }

    /// This process has asked.
    /// - Parameters:
    ///   - answer: nil where nothing was learnt of the person; the next request asks then.
    ///   - items: the tokens of what the person was shown.
    func end(_ answer: SharedPrompt.Answer?, for items: Set<String>) throws(Ending) {
        try update { prompts in
            guard let index = prompts.firstIndex(where: { isOwn($0) && $0.outcome == nil }) else { return }
            guard let answer else {
                prompts.remove(at: index)
                return
            }
            prompts[index].outcome = SharedPrompt.Outcome(answer: answer, items: items, time: BootTime.milliseconds)
        }
    }

    private func isOwn(_ prompt: SharedPrompt) -> Bool {
        prompt.group == group && prompt.leader == own.pid && prompt.leaderStart == own.startTime
    }

    private func update<Value>(_ change: (inout [SharedPrompt]) -> Value) throws(Ending) -> Value {
        do throws(SystemError) {
            return try file.update { prompts in
                let now = BootTime.milliseconds
                prompts.removeAll { !isAlive($0, at: now) }
                defer { prompts = prompts.suffix(Self.limit) }
                return change(&prompts)
            }
        } catch {
            throw .refused(.misconfigured("The authenticator \(error)."))
        }
    }

    /// An answer is remembered for a while, a question for as long as its process lives.
    private func isAlive(_ prompt: SharedPrompt, at now: Int64) -> Bool {
        guard prompt.boot == boot else { return false }
        if let outcome = prompt.outcome {
            let (age, isOutOfRange) = now.subtractingReportingOverflow(outcome.time)
            return outcome.time <= now && !isOutOfRange && age < Self.memory
        }
        // A process that cannot be looked at has ended.
        let process = try? ProcessIdentity(observing: prompt.leader)
        return process?.startTime == prompt.leaderStart
    }
}
