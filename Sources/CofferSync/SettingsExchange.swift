import CofferSettings

/// Exchanges settings with the vault. One exchange runs at a time.
actor SettingsExchange {
    let keychain: Keychain
    let store: ContentStore
    private let local: Settings
    private let firstSync: FirstSync
    private let names: Set<String>?
    private var running: Task<Void, any Error>?
    /// What the vault had when it was asked last: the values of items, and the states that had them. An item counts only if
    /// it is spelled as here, so there is one for each name.
    private var seen: (values: [String: SettingsJSON], revisions: [String: String]) = ([:], [:])
    /// What the vault had no room for, and was told.
    private var refused: [String: SettingsJSON] = [:]
    /// The names of what the vault has and this machine's file has no room for. That was told.
    private var left: Set<String> = []

    init(
        keychain: Keychain, store: ContentStore, local: Settings, firstSync: FirstSync, names: Set<String>?
    ) {
        self.keychain = keychain
        self.store = store
        self.local = local
        self.firstSync = firstSync
        self.names = names
    }

    /// Runs after the exchange that runs just now, because that one may not have seen the newest changes.
    func run() async throws(KeychainError) {
        switch await alone({ try await self.exchange() }) {
        case .success: break
        case .failure(let error as KeychainError): throw error
        case .failure: throw KeychainError(.cancelled, "the exchange of settings was cancelled")
        }
    }

    /// Removes all settings of the service from the vault, and then those of this machine.
    /// - Throws: why the vault still has them, or why the files have them.
    func deleteEverything(of service: String) async throws {
        // No exchange comes in between: it would bring back what is in one place and no longer in another one.
        try await alone { try await self.erase(service) }.get()
    }

    private func alone(_ body: @escaping @Sendable () async throws -> Void) async -> Result<Void, any Error> {
        while let running { _ = await running.result }
        let task = Task { try await body() }
        running = task
        let result = await task.result
        running = nil
        // `try?`: the values are in memory, and the next save tries again. `flush` tells why it fails.
        try? await store.save()
        return result
    }

    private func erase(_ service: String) async throws {
        var failure: (any Error)?
        // Also those of other machines that were not exchanged yet, and those that the application does not share.
        do throws(KeychainError) { try await keychain.deleteAll() } catch { failure = error }
        let isErased = failure == nil
        seen = ([:], [:])
        refused = [:]
        left = []
        // `try?`: what is in memory goes all the same. Another program may have written more into the file.
        try? store.reload()
        store.edit { content, edits in
            for name in Set(content.values.keys).union(content.pending) {
                // What the vault still has is removed by the next exchange.
                edits.names[name] = ContentEdits.NameEdit(value: nil, isPending: !isErased)
            }
        }
        do { try await store.save() } catch { if isErased { failure = error } }
        // Last, and before any exchange: a first one gives out what is in here.
        try await local.deleteEverything(of: service)
        if let failure { throw failure }
    }

    private func exchange() async throws(KeychainError) {
        // `try?`: without the file, the values in memory are exchanged. `flush` tells why it fails.
        try? store.reload()
        guard store.content.isOn ?? true else { return }
        let sharing = try await keychain.sharing()
        guard let circle = sharing.circle else { return try await leave() }
        let content = store.content
        let isFirst = content.circle != circle
        // What the others have is not here yet, so nobody can tell who wins.
        guard !isFirst || sharing.hasHeard else { return }
        let listed = spelled(try await keychain.list(), besides: isFirst ? names(of: local) : [])
        let read = try await values(of: listed.filter { isShared($0.account) })
        if isFirst {
            meet(read.values, circle)
        } else {
            take(read.values, present: Set(listed.map(\.account)))
        }
        seen = read
        try await give()
    }

    /// A name that the file refuses would keep all others out of it, too.
    private func isShared(_ name: String) -> Bool {
        (names?.contains(name) ?? true) && name.utf8.count <= SyncLimits.name && SettingName.isUsable(name)
    }

    /// The items whose names are spelled as here. Names that are equal in Unicode are one setting here, and several items of
    /// the vault. Another spelling must not take the place of the one that is known. If none is, the first one counts.
    /// - Parameter others: names that are known besides the shared ones.
    private func spelled(_ items: [ItemAttributes], besides others: [String] = []) -> [ItemAttributes] {
        let content = store.content
        var spellings: [String: String] = [:]
        var known = Array(content.values.keys)
        known += content.pending
        known += names ?? []
        known += others
        for name in known where spellings[name] == nil { spellings[name] = name }
        var found: [ItemAttributes] = []
        for item in items.sorted(by: { $0.account.utf8.lexicographicallyPrecedes($1.account.utf8) }) {
            let spelling = spellings[item.account] ?? item.account
            guard spelling.utf8.elementsEqual(item.account.utf8) else { continue }
            spellings[item.account] = spelling
            found.append(item)
        }
        return found
    }

    /// This machine is in no circle. The settings of the former one stay here, and go to another one as this machine's own.
    private func leave() async throws(KeychainError) {
        guard let circle = store.content.circle else { return }
        let items = try await keychain.list().filter { isShared($0.account) }
        // The application may have been closed when the last ones came.
        let read = try await values(of: spelled(items))
        // This machine may have joined another one meanwhile, and what has come from there stays.
        guard try await keychain.sharing().circle == nil else { return }
        // An item that is missing may have been deleted here, before this was broken off.
        take(read.values, present: nil)
        // `try?`: what is in no file stays in the vault, and the next exchange tries again. `flush` tells why it fails.
        try? await store.save()
        guard store.isSaved, try await keychain.sharing().circle == nil else { return }
        // What was not read as it is now stays. What another program has stored there is no setting.
        for item in items where read.revisions[item.account] == item.revision {
            // No file has it.
            if left.contains(item.account) { continue }
            do throws(KeychainError) { try await keychain.delete(item.account, if: .isUnchanged(since: item)) } catch {
                guard error.code == .changedMeanwhile else { throw error }
            }
        }
        seen = ([:], [:])
        store.edit { content, edits in edits.circles = (nil, circle) }
    }

    // MARK: Taking

    /// The values that are not known yet.
    private func values(
        of items: [ItemAttributes]
    ) async throws(KeychainError) -> (values: [String: SettingsJSON], revisions: [String: String]) {
        var values: [String: SettingsJSON] = [:]
        var found: [String: String] = [:]
        var unknown: [ItemAttributes] = []
        for item in items {
            // Not the value of the content: another program may have written an older one into the file.
            if seen.revisions[item.account] == item.revision, let value = seen.values[item.account] {
                values[item.account] = value
                found[item.account] = item.revision
            } else {
                unknown.append(item)
            }
        }
        while !unknown.isEmpty {
            let batch = unknown.prefix(SyncLimits.reads)
            unknown.removeFirst(batch.count)
            for item in try await read(batch) {
                // What another program has stored there is no setting.
                guard let value = SettingsJSON(decoding: item.value), value != .null else { continue }
                values[item.attributes.account] = value
                found[item.attributes.account] = item.attributes.revision
            }
        }
        return (values, found)
    }

    private func read(_ items: ArraySlice<ItemAttributes>) async throws(KeychainError) -> [Item] {
        let request = ReadRequest(prompts: .never, mayUnlock: false)
        do throws(KeychainError) {
            return try await keychain.backend.read(items.map(\.name), request, in: keychain.vault)
        } catch {
            // One was removed meanwhile, or they are too long for one message.
            guard error.code == .notFound || error.code == .limitExceeded else { throw error }
        }
        var found: [Item] = []
        for item in items {
            do throws(KeychainError) {
                found += try await keychain.backend.read([item.name], request, in: keychain.vault)
            } catch {
                guard error.code == .notFound else { throw error }
            }
        }
        return found
    }

    /// - Parameter present: the accounts of all items, also of those that are no settings; nil: nothing is removed.
    private func take(_ values: [String: SettingsJSON], present: Set<String>?) {
        var changed: Set<String> = []
        var full: Set<String> = []
        store.edit { content, edits in
            var room = ContentRoom(content)
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                guard content.values[name] != value, !content.pending.contains(name) else { continue }
                guard room.take(value, named: name, isPending: false) else {
                    full.insert(name)
                    continue
                }
                edits.names[name] = ContentEdits.NameEdit(value: value, isPending: false, isFromVault: true)
                changed.insert(name)
            }
            guard let present else { return }
            for name in content.values.keys where !present.contains(name) && !content.pending.contains(name) {
                edits.names[name] = ContentEdits.NameEdit(value: nil, isPending: false, isFromVault: true)
                changed.insert(name)
            }
        }
        mirror(changed)
        if !changed.isEmpty { store.tell(SyncedSettingsChange(names: changed, reason: .remoteChange)) }
        tell(left: full)
    }

    /// The settings of this machine and those of a circle meet.
    private func meet(_ values: [String: SettingsJSON], _ circle: String) {
        let before = store.content
        let first = firstUpload(besides: before)
        var changed: Set<String> = []
        var full: Set<String> = []
        store.edit { content, edits in
            let meeting = Meeting(content, values, first: first, firstSync)
            (changed, full) = (meeting.changed, meeting.left)
            edits = meeting.edits
            edits.circles = (circle, nil)
        }
        mirror(changed)
        let former = before.circle ?? before.formerCircle
        let isOther = former.map { $0 != circle } ?? false
        store.tell(SyncedSettingsChange(names: changed, reason: isOther ? .otherCircle : .firstSync))
        tell(left: full)
    }

    /// The local settings that are not shared yet, and go out when they first meet the others.
    private func firstUpload(besides content: SyncedContent) -> [String: SettingsJSON] {
        var first: [String: SettingsJSON] = [:]
        for name in names(of: local) where isShared(name) {
            guard content.values[name] == nil, !content.pending.contains(name) else { continue }
            // `try?`: a value that cannot be read is not given out.
            first[name] = try? local.json(named: name)
        }
        return first
    }

    /// The file has no room for these. They stay where they are.
    private func tell(left names: Set<String>) {
        let new = names.subtracting(left)
        left = names
        if !new.isEmpty { store.tell(SyncedSettingsChange(names: new, reason: .quota)) }
    }

    private func names(of settings: Settings) -> [String] {
        // `try?`: settings that cannot be read have nothing to give out.
        (try? settings.names()) ?? []
    }

    /// The local settings have what was taken, for the day on which the switch is turned off or the broker is gone.
    private func mirror(_ changed: Set<String>) {
        let content = store.content
        // `try?`: the shared value counts in any case.
        for name in changed { try? local.put(content.values[name], named: name) }
    }

    // MARK: Giving

    private func give() async throws(KeychainError) {
        await announce()
        let content = store.content
        var batch: [(name: String, value: SettingsJSON?, bytes: [UInt8])] = []
        var size = 0
        // What was set since is not announced. Its own exchange follows.
        let waiting = content.pending.subtracting(content.fresh).sorted()
        // Removals first, because they make room.
        let removals = waiting.filter { content.values[$0] == nil }
        for name in removals + waiting.filter({ content.values[$0] != nil }) {
            let value = content.values[name]
            // `try?`: it was checked when it was set. One that another version has set and this one refuses stays here.
            guard let bytes = value == nil ? [] : try? value?.encoded() else { continue }
            if batch.count == SyncLimits.changes || size + bytes.count > SyncLimits.bytes {
                try await give(batch)
                (batch, size) = ([], 0)
            }
            batch.append((name, value, bytes))
            size += bytes.count
        }
        if !batch.isEmpty { try await give(batch) }
    }

    /// From here on the vault may have what waits, also if this program ends before it knows. So a removal has to reach it.
    private func announce() async {
        let fresh = store.content.fresh
        guard !fresh.isEmpty else { return }
        store.edit { _, edits in edits.known = fresh }
        // `try?`: what cannot be written is in memory, and the next save tries again. `flush` tells why it fails.
        try? await store.save()
    }

    private func give(_ batch: [(name: String, value: SettingsJSON?, bytes: [UInt8])]) async throws(KeychainError) {
        let changes = batch.map { one in
            ItemChange(keychain.name(one.name), one.value == nil ? .delete : .set(NewItem(value: one.bytes)))
        }
        let outcomes: [ChangeOutcome]
        do throws(KeychainError) { outcomes = try await keychain.apply(changes, protection: .later) } catch {
            guard error.code == .limitExceeded else { throw error }
            guard batch.count > 1 else { return refuse(batch[0].name, batch[0].value) }
            for one in batch { try await give([one]) }
            return
        }
        for (one, outcome) in zip(batch, outcomes) {
            seen.revisions[one.name] = outcome.revision
            seen.values[one.name] = one.value
            refused[one.name] = nil
        }
        store.edit { content, edits in
            for one in batch where content.values[one.name] == one.value {
                edits.names[one.name] = ContentEdits.NameEdit(
                    value: one.value, isPending: false, isFromVault: true)
            }
        }
    }

    /// The vault has no room. The setting stays here, and is tried again.
    private func refuse(_ name: String, _ value: SettingsJSON?) {
        guard refused[name] != value else { return }
        refused[name] = value
        store.tell(SyncedSettingsChange(names: [name], reason: .quota))
    }
}
