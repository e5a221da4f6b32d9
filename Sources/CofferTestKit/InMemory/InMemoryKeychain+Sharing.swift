import Coffer
import FoundationEssentials

/// A machine of a circle in memory.
extension InMemoryKeychain {
    func enter(_ circle: InMemoryCircle, as machine: String) {
        content.withLock { content in
            content.member = MemberState(circle: circle, machine: machine)
            content.tellSharing()
        }
    }

    func leaveCircle() {
        content.withLock { content in
            content.member = nil
            content.tellSharing()
        }
    }

    /// What was changed here since the last exchange.
    func unsaid() -> [InMemoryCircle.Revision] {
        let now = clock().milliseconds
        return content.withLock { content in
            guard var member = content.member, let vault = content.vaults[.own] else { return [] }
            var made: [InMemoryCircle.Revision] = []
            for name in vault.items.keys.sorted(by: { $0.description < $1.description }) {
                guard let item = vault.items[name], MemberState.travels(item), member.said[name] != item.revision
                else { continue }
                made.append(member.revision(of: name, item.value, at: now))
                member.said[name] = item.revision
            }
            for name in member.said.keys.sorted(by: { $0.description < $1.description })
            where vault.items[name] == nil {
                made.append(member.revision(of: name, nil, at: now))
                member.said[name] = nil
            }
            content.member = member
            if !made.isEmpty { content.tellSharing() }
            return made
        }
    }

    /// Makes the items what the revisions of all say.
    func take(_ revisions: [String: InMemoryCircle.Revision]) {
        let now = clock().milliseconds
        content.withLock { content in
            guard var member = content.member, var vault = content.vaults[.own] else { return }
            let fresh = revisions.values.filter { member.revisions[$0.id] == nil }
            let isFirst = !member.hasHeard
            member.hasHeard = true
            guard !fresh.isEmpty || isFirst else {
                content.member = member
                return
            }
            member.revisions = revisions
            var events: [KeychainEvent] = []
            for name in Set(fresh.map(\.name)).sorted(by: { $0.description < $1.description }) {
                let old = vault.items[name]
                guard old.map(MemberState.travels) ?? true else { continue }
                guard let value = member.values(name).first?.value else {
                    if let old { events.append(.deleted(old.summary)) }
                    vault.remove(name)
                    member.said[name] = nil
                    continue
                }
                guard old?.value.bytes != value.bytes || old?.value.access != value.access else { continue }
                let item = vault.put(MemoryItem(taking: value, over: old, as: name, at: now))
                member.said[name] = item.revision
                events.append(old == nil ? .added(item.summary) : .updated(item.summary))
            }
            content.member = member
            content.put(vault, events + [.sharing])
        }
    }

    /// Implements `KeychainBackend/sharing(in:)`.
    public func sharing(in vault: VaultName) async throws(KeychainError) -> SharingState {
        guard vault == .own else { return SharingState() }
        let member = content.withLock { content in
            // Only an open vault can tell of conflicts.
            let conflicts: Int? = content.isOpen ? content.conflicts.count : nil
            return content.member.map { ($0, content.unsaidNames.count, conflicts) }
        }
        guard let (member, pending, conflicts) = member else { return SharingState() }
        var state = SharingState(
            circle: member.circle.id,
            machines: member.circle.others(than: self).map { name in
                SharingState.Machine(
                    id: name, name: name, isHeard: member.hasHeard,
                    hasTakenAll: pending == 0)
            }, pending: pending, conflicts: conflicts)
        state.ownDevice = member.machine
        return state
    }

    /// Implements `KeychainBackend/sharing(of:in:)`.
    public func sharing(of item: ItemName, in vault: VaultName) async throws(KeychainError) -> ItemSharing {
        _ = try await attributes(of: item, in: vault)
        return content.withLock { content in
            guard vault == .own, content.member != nil,
                content.vaults[.own]?.items[item].map(MemberState.travels) == true
            else { return .local }
            return content.unsaidNames.contains(item) ? .waiting : .givenOut
        }
    }

    /// Implements `KeychainBackend/conflicts(in:)`.
    public func conflicts(in vault: VaultName) async throws(KeychainError) -> [ItemConflict] {
        try content.withLock { (content) throws(KeychainError) in
            guard vault == .own, content.member != nil else { return [] }
            guard content.isOpen else { throw .vaultIsLocked }
            return content.conflicts
        }
    }

    /// Reads one revision of a conflict. Nobody is asked to open the vault.
    public func read(
        _ revision: String, of conflict: ItemConflict, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> [UInt8] {
        try content.withLock { (content) throws(KeychainError) in
            try content.value(of: revision, in: conflict, of: vault).bytes
        }
    }

    /// Implements `KeychainBackend/resolve(_:taking:in:)`.
    public func resolve(
        _ conflict: ItemConflict, taking revision: String, in vault: VaultName
    ) async throws(KeychainError) {
        let now = clock().milliseconds
        try content.withLock { (content) throws(KeychainError) in
            let value = try content.value(of: revision, in: conflict, of: vault)
            guard var vault = content.vaults[.own], let old = vault.items[conflict.name] else { throw .noSuchRevision }
            // The next exchange says it as a change of this machine, which replaces all others.
            let item = vault.put(MemoryItem(taking: value, over: old, as: conflict.name, at: now))
            content.put(vault, [.updated(item.summary), .sharing])
        }
    }
}

extension MemoryItem {
    /// An item with the value that a circle has.
    fileprivate init(taking value: StoredValue, over old: MemoryItem?, as name: ItemName, at now: Int64) {
        var value = value
        value.version = (old?.version ?? 0) + 1
        if let old {
            self = old
            replace(.secret, by: value, at: now)
        } else {
            self.init(
                id: UUID().uuidString.lowercased(), name: name, at: now,
                MemoryField(.secret, nil, value))
        }
        modified = now
    }
}

extension InMemoryKeychain.Content {
    fileprivate mutating func tellSharing() {
        guard let vault = vaults[.own] else { return }
        put(vault, [.sharing])
    }

    /// The items that were changed since the last exchange, and those that are gone.
    fileprivate var unsaidNames: Set<ItemName> {
        guard let member, let vault = vaults[.own] else { return [] }
        let changed = vault.items.filter { MemberState.travels($0.value) && member.said[$0.key] != $0.value.revision }
        return Set(changed.keys).union(member.said.keys.filter { vault.items[$0] == nil })
    }

    /// Whether the user's own vault is open.
    fileprivate var isOpen: Bool { vaults[.own]?.state == .unlocked }

    /// The value of a revision, if it is one of several now.
    fileprivate func value(
        of revision: String, in conflict: ItemConflict, of vault: VaultName
    ) throws(KeychainError) -> StoredValue {
        guard vault == .own, let member else { throw .noSuchRevision }
        guard isOpen else { throw .vaultIsLocked }
        let present = conflicts.first { $0.item == conflict.item && $0.part == conflict.part }
        guard let present, present.revisions.contains(where: { $0.id == revision }),
            let value = member.revisions[revision]?.value
        else { throw .noSuchRevision }
        return value
    }

    fileprivate var conflicts: [ItemConflict] {
        guard let member, let vault = vaults[.own] else { return [] }
        var found: [ItemConflict] = []
        for (name, item) in vault.items.sorted(by: { $0.key.description < $1.key.description }) {
            // Of a setting, the last writer counts. A change that was not given out yet ends a conflict.
            guard name.itemClass != .setting, member.said[name] == item.revision else { continue }
            let values = member.values(name)
            guard values.count > 1 else { continue }
            found.append(
                ItemConflict(
                    item: item.id, name: name, part: .field(.secret),
                    revisions: values.enumerated().map { place, revision in
                        ItemConflict.Revision(
                            id: revision.id, machine: revision.machine, isOwn: revision.machine == member.machine,
                            isShown: place == 0)
                    }))
        }
        return found
    }
}
