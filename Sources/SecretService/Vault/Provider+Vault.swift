import CofferClient
import SystemBus

/// How the provider knows what is in the vault: it lists all items once, and then hears of every change from the broker.
extension Provider {
    /// Whether the broker is heard.
    enum Following {
        case not
        case trying(Task<Result<Void, ServiceError>, Never>)
        case yes
    }

    /// Waits until the items are known.
    /// - Throws: an error if the broker cannot be reached.
    func ready() async throws(ServiceError) {
        switch following {
        case .yes: return
        case .trying(let task): try await task.value.get()
        case .not:
            let task = Task { await connect() }
            following = .trying(task)
            try await task.value.get()
        }
    }

    /// Follows the vault as long as the provider runs. A broker that was restarted is found again.
    func follow() async {
        while true {
            // `try?`: a client's call tries at once, and gets the reason.
            if case .yes = following {} else { _ = try? await ready() }
            do { try await Task.sleep(for: .seconds(5)) } catch { return }
        }
    }

    /// Asks the broker whether the vault is locked. A program that locks it and looks for an item at once would otherwise be told the former state,
    /// and take the item for one that needs no prompt.
    func refreshState() async {
        // `try?`: then the last state that was heard counts, and reading says why the broker cannot be reached.
        if let status = try? await backend.status(of: .own) { change(state: status.state) }
    }

    /// Takes note of an event. It can be older than what the broker has answered since: a vault that was opened and locked again is locked, and a
    /// question to open it must stay. So the broker's present word counts.
    private func take(announced announcement: VaultStatus.State) async {
        do throws(KeychainError) { change(state: try await backend.status(of: .own).state) } catch {
            if announcement == .locked { change(state: .locked) }
        }
    }

    private func connect() async -> Result<Void, ServiceError> {
        do throws(KeychainError) {
            // First the events, then the list: nothing is missed in between.
            let events = try await backend.events(of: nil, in: .own)
            try await load()
            following = .yes
            Task { await hear(events) }
            return .success(())
        } catch {
            following = .not
            return .failure(ServiceError(error))
        }
    }

    private func hear(_ events: AsyncThrowingStream<KeychainEvent, any Error>) async {
        do {
            for try await event in events {
                if case .sharing = event { continue }
                if case .added(let item) = event {
                    // It was deleted here, and is back from the bin so soon that its deletion is still held.
                    if heldDeletion.holds(item) { vault.heard(deletionOf: ServiceItem.id(of: item)) }
                    delete(heldDeletion.followed(by: item))
                } else {
                    delete(heldDeletion.followed(by: nil))
                }
                switch event {
                case .added(let item), .updated(let item):
                    let former = vault[ServiceItem.id(of: item)]
                    if vault.take(event: item) { changed(item, from: former) }
                case .deleted(let item): hold(item)
                case .locked: await take(announced: .locked)
                case .unlocked: await take(announced: .unlocked)
                case .sharing: break
                case .missed: try await load()
                }
            }
        } catch {
            // The broker has ended, or cannot be heard. The next call says why, if that stays so.
        }
        delete(heldDeletion.followed(by: nil))
        following = .not
    }

    /// Keeps a deletion until the next event, or a moment if there is none.
    private func hold(_ item: ItemAttributes) {
        let number = heldDeletion.hold(item)
        Task {
            // `try?`: nobody cancels this.
            try? await Task.sleep(for: BusCallLimits.rename)
            delete(heldDeletion.letGo(number))
        }
    }

    /// - Parameter item: nil if there was nothing to delete.
    private func delete(_ item: ItemAttributes?) {
        guard let item else { return }
        let id = ServiceItem.id(of: item)
        if let former = vault.take(deletionOf: id) { removed(id, former) }
    }

    /// The item as it is now, if it has another name. The broker has found none of the former name, and the event of a rename may come later.
    /// - Returns: nil if it is gone.
    func renamed(_ item: ItemAttributes) async -> ItemAttributes? {
        let id = ServiceItem.id(of: item)
        for _ in 0..<StoreLimits.attempts {
            guard let current = vault[id] else { return nil }
            if current.name != item.name { return current }
            // `try?`: if the call was cancelled, it looks again at once, and a few times only.
            try? await Task.sleep(for: BusCallLimits.rename)
        }
        return nil
    }

    /// Takes an item as it is now, because the broker has found it in another state. The event of that change may come
    /// later.
    func lookAgain(at old: ItemAttributes) async throws(ServiceError) {
        var current: ItemAttributes?
        do throws(KeychainError) {
            current = try await noting { () async throws(KeychainError) in
                try await self.backend.attributes(of: old.name, in: .own)
            }
        } catch {
            guard error.code == .notFound else { throw ServiceError(error) }
        }
        if current?.id == old.id { return }
        // It was renamed, or it is gone. Another item may have its name.
        guard await renamed(old) == nil else { return }
        let id = ServiceItem.id(of: old)
        if let former = vault.delete(id) { removed(id, former) }
    }

    /// Takes an item that was not known, and that the broker has. Its event may come later.
    func look(at name: ItemName) async throws(ServiceError) {
        do throws(KeychainError) {
            try await noting { () async throws(KeychainError) in
                try await self.backend.attributes(of: name, in: .own)
            }
        } catch {
            // It is gone again.
            guard error.code == .notFound else { throw ServiceError(error) }
        }
    }

    /// Waits before a write is tried again. Without a pause, two providers that write the same thing could meet each time.
    /// - Parameter attempt: the number of the one that failed. The pause is random, and longer after each.
    func giveWay(after attempt: Int) async {
        // `try?`: a cancelled call tries at once, and a few times only.
        try? await Task.sleep(for: .milliseconds(Int.random(in: 0...(StoreLimits.pause << attempt))))
    }

    private func load() async throws(KeychainError) {
        let status = try await backend.status(of: .own).state
        let items = status == .none ? [] : try await backend.allItems(in: .own)
        for gone in vault.list(Set(items.map(ServiceItem.id(of:)))) { removed(gone.id, gone.item) }
        // Collections first, so that no item is taken for one without a collection.
        let isRecord = { (item: ItemAttributes) in item.attributes[StoredAttributes.record] != nil }
        for item in items.filter(isRecord) + items.filter({ !isRecord($0) }) {
            let former = vault[ServiceItem.id(of: item)]
            if vault.take(listed: item) { changed(item, from: former) }
        }
        change(state: status)
    }

    /// Makes a change of the vault that gives the item's new state, and takes note of it. Its event can come first.
    @discardableResult
    func noting(
        _ write: () async throws(KeychainError) -> ItemAttributes
    ) async throws(KeychainError) -> ItemAttributes {
        let open = vault.writeBegins()
        defer { vault.writeEnds() }
        let stored = try await write()
        let former = vault[ServiceItem.id(of: stored)]
        if vault.take(reply: stored, to: open) { changed(stored, from: former) }
        return stored
    }

    /// Shows what changed with an item of the vault.
    private func changed(_ stored: ItemAttributes, from former: ItemAttributes?) {
        if stored.name.service == CollectionRecord.service || former?.name.service == CollectionRecord.service {
            reloadCollections()
        }
        show(ServiceItem.id(of: stored))
    }

    /// Shows that an item of the vault is gone.
    func removed(_ id: String, _ former: ItemAttributes) {
        if let item = index.remove(id) { tellDeleted(item) }
        if former.name.service == CollectionRecord.service { reloadCollections() }
    }

    /// Brings the index up to date with an item of the vault.
    private func show(_ id: String) {
        guard let stored = vault[id] else { return }
        guard let item = ServiceItem(stored, collections: collections.collections.keys) else {
            if let former = index.remove(id) { tellDeleted(former) }
            return
        }
        let former = index.items[id]
        guard former != item else { return }
        if let former, former.collection != item.collection {
            index.remove(id)
            tellDeleted(former)
        }
        index.insert(item)
        if former?.collection == item.collection { tellChanged(item) } else { tellCreated(item) }
    }

    private func reloadCollections() {
        let former = collections
        collections.load(vault.items.values)
        guard former != collections else { return }
        let (before, now) = (Set(former.collections.keys), Set(collections.collections.keys))
        for id in now.subtracting(before).sorted() { tellCreatedCollection(id) }
        // Items change their place with a collection that comes or goes.
        if before != now { for id in Array(vault.items.keys) { show(id) } }
        for id in before.subtracting(now).sorted() { tellDeletedCollection(id) }
        for id in now.intersection(before) where former[id] != collections[id] { tellChanged(id) }
    }
}
