import SystemBus

/// Something that a person is asked for when the client calls Prompt.
struct Prompt: Sendable {
    let id: String
    /// The connection that it was made for. Completed is sent to it only.
    let owner: String
    /// What `Completed` brings if nothing was done. It has the type of a result.
    let dismissed: BusValue
    /// Does it, after the person was asked.
    let action: @Sendable () async throws(ServiceError) -> BusValue
    var task: Task<Void, Never>?

    var path: String { ObjectPath.pathOfPrompt(id) }
}

/// The prompts that are not done.
struct PromptTable {
    private var prompts: [String: Prompt] = [:]
    private var owned: [String: Int] = [:]
    private var lastNumber: UInt64 = 0
    private let run = ProviderRun.name()

    /// - Throws: an error if the client, or all clients, have too many.
    mutating func add(
        owner: String, dismissed: BusValue, action: @escaping @Sendable () async throws(ServiceError) -> BusValue
    ) throws(ServiceError) -> Prompt {
        let own = owned[owner, default: 0]
        guard own < ObjectLimits.promptsOfClient,
            own < ObjectLimits.promptShare || prompts.count < ObjectLimits.prompts
        else {
            throw .limit("there are too many prompts; dismiss some with Dismiss")
        }
        lastNumber += 1
        let prompt = Prompt(id: "p\(run)_\(lastNumber)", owner: owner, dismissed: dismissed, action: action)
        prompts[prompt.id] = prompt
        owned[owner, default: 0] += 1
        return prompt
    }

    subscript(_ id: String) -> Prompt? { prompts[id] }

    mutating func begin(_ id: String, _ task: Task<Void, Never>) { prompts[id]?.task = task }

    /// - Returns: nil if it was done already.
    mutating func remove(_ id: String) -> Prompt? {
        guard let prompt = prompts.removeValue(forKey: id) else { return nil }
        owned[prompt.owner, default: 1] -= 1
        if owned[prompt.owner] == 0 { owned[prompt.owner] = nil }
        return prompt
    }

    mutating func removeAll(of owner: String) -> [Prompt] {
        prompts.values.filter { $0.owner == owner }.compactMap { remove($0.id) }
    }

    var ids: [String] { prompts.keys.sorted() }
}
