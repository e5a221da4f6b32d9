import CofferClient
import SystemBus

/// What is told to everybody on the bus.
extension Provider {
    func tellCreated(_ item: ServiceItem) {
        emit("ItemCreated", item)
        tellItems(of: item.collection)
    }

    func tellDeleted(_ item: ServiceItem) {
        emit("ItemDeleted", item)
        tellItems(of: item.collection)
    }

    func tellChanged(_ item: ServiceItem) {
        emit("ItemChanged", item)
        tellProperties(ServiceName.item, at: item.path, ["Label", "Attributes", "Type", "Modified", "Locked"]) { name in
            self.value(of: name, item)
        }
        guard let collection = collections[item.collection] else { return }
        tellProperties(ServiceName.collection, at: collection.path, ["Modified"]) { name in
            self.value(of: name, collection)
        }
    }

    private func emit(_ signal: String, _ item: ServiceItem) {
        server.emit(
            signal, of: ServiceName.collection, at: ObjectPath.pathOfCollection(item.collection), [.path(item.path)])
    }

    /// A long list is not sent at each change, but a moment later, once for several changes. libsecret needs the list: it keeps a copy, and ends if
    /// it is told that the copy is invalid.
    private func tellItems(of id: String) {
        guard index.count(of: id) > StoreLimits.listedItems else { return sendItems(of: id) }
        guard pendingLists.insert(id).inserted else { return }
        Task {
            // `try?`: nobody cancels this.
            try? await Task.sleep(for: BusCallLimits.longList)
            pendingLists.remove(id)
            sendItems(of: id)
        }
    }

    private func sendItems(of id: String) {
        guard let collection = collections[id] else { return }
        tellProperties(ServiceName.collection, at: collection.path, ["Items", "Modified"]) { name in
            self.value(of: name, collection)
        }
    }

    func tellCreatedCollection(_ id: String) {
        emit("CollectionCreated", collection: id)
        tellCollections()
    }

    func tellDeletedCollection(_ id: String) {
        emit("CollectionDeleted", collection: id)
        tellCollections()
    }

    func tellChanged(_ id: String) {
        guard let collection = collections[id] else { return }
        emit("CollectionChanged", collection: id)
        tellProperties(ServiceName.collection, at: collection.path, ["Label", "Locked", "Modified"]) { name in
            self.value(of: name, collection)
        }
    }

    private func emit(_ signal: String, collection id: String) {
        server.emit(signal, of: ServiceName.service, at: ServiceName.root, [.path(ObjectPath.pathOfCollection(id))])
    }

    private func tellCollections() {
        tellProperties(ServiceName.service, at: ServiceName.root, ["Collections"]) { name in
            self.value(of: name, .service)
        }
    }

    private func tellProperties(
        _ interface: String, at path: String, _ names: [String], _ value: (String) -> BusValue?
    ) {
        let entries = names.compactMap { name in value(name).map { BusValue.entry(.text(name), .variant($0)) } }
        server.emit(
            "PropertiesChanged", of: ServiceName.properties, at: path,
            [.text(interface), .array(of: "{sv}", entries), .texts([])])
    }

    /// Takes note of the vault's state, and tells what is locked or unlocked by it.
    func change(state new: VaultStatus.State) {
        guard new != state else { return }
        let old = state
        state = new
        if new == .unlocked {
            obstacles.vaultOpened()
            questions.vaultOpened()
        }
        let before = collections.all.filter { !$0.isTransient }
        if (old == .unlocked) != (new == .unlocked) { for collection in before { tellChanged(collection.id) } }
        for item in index.items.values where item.isLocked(in: old) != item.isLocked(in: new) {
            emit("ItemChanged", item)
            tellProperties(ServiceName.item, at: item.path, ["Locked"]) { name in self.value(of: name, item) }
        }
    }
}
