import Coffer
import FoundationEssentials

/// Finds items without their values, and the state of vaults.
extension InMemoryKeychain {
    /// Implements `KeychainBackend/items(matching:in:)`.
    public func items(
        matching query: ItemQuery, in vault: VaultName
    ) async throws(KeychainError) -> [ItemAttributes] {
        if Task.isCancelled { throw .cancelledByTask }
        try query.checkAccounts()
        guard query.attributes.count <= ItemLimits.attributes else {
            throw KeychainError(.limitExceeded, "an item has \(ItemLimits.attributes) attributes at most")
        }
        // No text of an item is longer.
        guard query.text?.utf8.count ?? 0 <= ItemLimits.comment else {
            throw KeychainError(
                .limitExceeded, "a text to look for has \(ItemLimits.comment) bytes at most",
                advice: "look for a part of it")
        }
        return try perform(in: vault) { (vault, _) in
            (vault.items.values.filter(query.matches).map(\.summary).sorted(by: Self.isBefore), [])
        }
    }

    /// Implements `KeychainBackend/exists(_:in:)`.
    public func exists(_ item: ItemName, in vault: VaultName) async throws(KeychainError) -> Bool {
        if Task.isCancelled { throw .cancelledByTask }
        return try perform(in: vault) { (vault, call) throws(KeychainError) in
            do throws(KeychainError) { _ = try vault.live(item, at: call.now) } catch {
                guard error.code == .notFound else { throw error }
                return (false, [])
            }
            return (true, [])
        }
    }

    /// Implements `KeychainBackend/attributes(of:in:)`.
    public func attributes(of item: ItemName, in vault: VaultName) async throws(KeychainError) -> ItemAttributes {
        if Task.isCancelled { throw .cancelledByTask }
        return try perform(in: vault) { (vault, _) throws(KeychainError) in (try vault.item(item).summary, []) }
    }

    /// Implements `KeychainBackend/history(of:in:)`.
    public func history(of item: ItemName, in vault: VaultName) async throws(KeychainError) -> [ItemVersion] {
        if Task.isCancelled { throw .cancelledByTask }
        return try perform(in: vault) { (vault, call) throws(KeychainError) in
            let kept = try vault.live(item, at: call.now).former.filter { $0.isKept(at: call.now) }
            return (kept.reversed().map(ItemVersion.init), [])
        }
    }

    /// Implements `KeychainBackend/status(of:)`.
    public func status(of vault: VaultName) async throws(KeychainError) -> VaultStatus {
        if Task.isCancelled { throw .cancelledByTask }
        return try perform(in: vault) { (vault, _) in
            (VaultStatus(state: vault.state, sealer: nil, isSandbox: true), [])
        }
    }

    /// Implements `KeychainBackend/lock(_:)`.
    public func lock(_ vault: VaultName) async throws(KeychainError) {
        try close(vault, makes: false)
        guard vault == .own else { return }
        // A group's vault is open only while a member's own is, and there is no other member here.
        let names = content.withLock { Array($0.vaults.keys) }
        for case .group(let name) in names { try close(.group(name), makes: true) }
    }

    private func close(_ vault: VaultName, makes: Bool) throws(KeychainError) {
        try perform(in: vault, makes: makes) { (vault, _) in
            guard vault.state == .unlocked else { return ((), []) }
            vault.state = .locked
            return ((), [.locked])
        }
    }

    /// Implements `KeychainBackend/unlock(_:prompts:)`.
    public func unlock(_ vault: VaultName, prompts: Prompts) async throws(KeychainError) {
        try await perform(in: vault, makes: true, prompts: prompts) { (vault, call) throws(KeychainError) in
            try call.checkOwn(vault)
            guard vault.state != .unlocked else { return .done(()) }
            return .question(Question(opens: true, text: "open the vault"))
        }
    }

    /// Implements `KeychainBackend/events(of:in:)`.
    public func events(
        of service: String?, in vault: VaultName
    ) async throws(KeychainError) -> AsyncThrowingStream<KeychainEvent, any Error> {
        try await events(of: service, itemClass: nil, in: vault)
    }

    /// Implements `KeychainBackend/events(of:itemClass:in:)`.
    public func events(
        of service: String?, itemClass: ItemClass?, in vault: VaultName
    ) async throws(KeychainError) -> AsyncThrowingStream<KeychainEvent, any Error> {
        let queue = MemoryEventQueue(service: service, itemClass: itemClass, in: vault)
        try content.withLock { (content) throws(KeychainError) in
            _ = try content.vault(vault, makes: vault == .own)
            // No item has a longer service.
            guard service?.utf8.count ?? 0 <= ItemLimits.name else {
                throw KeychainError(.limitExceeded, "a service has \(ItemLimits.name) bytes at most")
            }
            content.readers.removeAll { $0.queue?.hasEnded ?? true }
            guard content.readers.count < MemoryLimits.readers else {
                throw KeychainError(
                    .limitExceeded, "this user has \(MemoryLimits.readers) monitors already",
                    advice: "end one of them")
            }
            content.readers.append(Content.Reader(queue: queue))
        }
        return AsyncThrowingStream { try await queue.next() }
    }

    /// By service, then account, then class.
    private static func isBefore(_ one: ItemAttributes, _ other: ItemAttributes) -> Bool {
        if one.service != other.service { return one.service < other.service }
        if one.account != other.account { return one.account < other.account }
        let classes = ItemClass.allCases
        return classes.firstIndex(of: one.name.itemClass) ?? 0 < classes.firstIndex(of: other.name.itemClass) ?? 0
    }
}

extension ItemQuery {
    func matches(_ item: MemoryItem) -> Bool {
        if let service, !service.utf8.elementsEqual(item.name.service.utf8) { return false }
        if let accounts, !accounts.contains(where: { $0.utf8.elementsEqual(item.name.account.utf8) }) { return false }
        guard item.name.itemClass.isFound(by: itemClass) else { return false }
        for (name, value) in attributes {
            // The broker's index has bytes.
            guard let place = item.attributes.index(forKey: name) else { return false }
            let present = item.attributes[place]
            guard present.key.utf8.elementsEqual(name.utf8), present.value.utf8.elementsEqual(value.utf8) else {
                return false
            }
        }
        guard let text = text?.lowercased(), !text.isEmpty else { return true }
        return [item.name.service, item.name.account, item.label ?? "", item.comment ?? ""]
            .contains { $0.lowercased().contains(text) }
    }
}

extension ItemVersion {
    init(_ former: MemoryItem.Former) {
        let (kept, _) = former.replaced.addingReportingOverflow(MemoryLimits.formerTime)
        self.init(
            version: former.value.version, set: Date(milliseconds: former.value.set),
            keptUntil: Date(milliseconds: min(kept, former.value.expires ?? kept)), access: former.value.access,
            field: former.name)
    }
}
