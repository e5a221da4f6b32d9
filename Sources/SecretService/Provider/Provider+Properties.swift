import CofferClient
import SystemBus

/// Methods of `org.freedesktop.DBus.Properties`.
extension Provider {
    func properties(_ call: BusCall, _ target: Target, _ client: BusClient) async throws(ServiceError) -> [BusValue] {
        let name = call.arguments[0].text ?? ""
        let known = [target.interface].compactMap(\.self) + Interface.standard
        guard
            let interface = name.isEmpty
                ? target.interface ?? Interface.properties : known.first(where: { $0.name == name })
        else {
            throw ServiceError(BusErrorName.unknownInterface, "\(call.path) has no interface \(name)")
        }
        if call.member != "Set", call.asksForLock { await refreshState() }
        guard call.member != "GetAll" else {
            let entries = interface.properties.compactMap { property in
                value(of: property.name, target).map { BusValue.entry(.text(property.name), .variant($0)) }
            }
            return [.array(of: "{sv}", entries)]
        }
        let wanted = call.arguments[1].text ?? ""
        guard let property = interface.property(wanted) else {
            throw ServiceError(BusErrorName.unknownProperty, "\(interface.name) has no property \(wanted)")
        }
        guard call.member == "Set" else {
            guard let value = value(of: property.name, target) else { throw .noObject(call.path) }
            return [.variant(value)]
        }
        guard property.isWritable else {
            throw ServiceError(BusErrorName.readOnlyProperty, "\(property.name) cannot be set")
        }
        guard let value = call.arguments[2].contents, value.signature == property.type else {
            throw .invalid("\(property.name) has the type \(property.type)")
        }
        switch target {
        case .collection(let collection): try await setLabel(try Self.label(value), of: collection, client)
        case .item(let item):
            if property.name == "Label" {
                try await edit(item, label: try Self.label(value), attributes: nil, client)
            } else {
                try await edit(item, label: nil, attributes: try Self.attributes(value), client)
            }
        default: throw ServiceError(BusErrorName.readOnlyProperty, "\(property.name) cannot be set")
        }
        return []
    }

    func value(of property: String, _ target: Target) -> BusValue? {
        switch (target, property) {
        case (.service, "Collections"): .paths(collections.all.map(\.path))
        case (.portal, "version"): .number(1)
        case (.collection(let collection), _): value(of: property, collection)
        case (.item(let item), _): value(of: property, item)
        default: nil
        }
    }

    func value(of property: String, _ collection: CollectionInfo) -> BusValue? {
        switch property {
        case "Items": .paths(index.items(of: collection.id).map(\.path))
        case "Label": .text(collection.label)
        case "Locked": .flag(isLocked(collection))
        case "Created": .longNumber(created(collection).busSeconds)
        case "Modified":
            .longNumber(
                max(collection.modified, index.lastChange(of: collection.id), created(collection)).busSeconds)
        default: nil
        }
    }

    private func created(_ collection: CollectionInfo) -> Moment {
        collections.created(collection, oldest: index.oldest(of: collection.id))
    }

    func value(of property: String, _ item: ServiceItem) -> BusValue? {
        switch property {
        case "Locked": .flag(item.isLocked(in: state))
        case "Attributes": .dictionary(item.attributes)
        case "Label": .text(item.label)
        case "Type": .text(item.type)
        case "Created": .longNumber(item.created.busSeconds)
        case "Modified": .longNumber(item.modified.busSeconds)
        default: nil
        }
    }

    private func setLabel(
        _ label: String, of collection: CollectionInfo, _ client: BusClient
    ) async throws(ServiceError) {
        await refreshState()
        guard !isLocked(collection) else { throw locked(for: client) }
        guard !collection.isTransient else {
            try Self.check(label: label)
            collections.setTransientLabel(label)
            return tellChanged(collection.id)
        }
        try await inWriting(of: .records) { () async throws(ServiceError) in
            try await self.storeRecord { () throws(ServiceError) -> RecordDraft? in
                try self.checkIsThere(collection)
                return RecordDraft(ofCollection: collection.id, label: label)
            }
        }
    }

    private func edit(
        _ item: ServiceItem, label: String?, attributes: [String: String]?, _ client: BusClient
    ) async throws(ServiceError) {
        guard let stored = item.stored else {
            var changed = item
            if let label {
                try Self.check(label: label)
                changed.label = label
            }
            if let attributes {
                try Self.check(attributes)
                changed.attributes = attributes
            }
            changed.modified = .now
            index.insert(changed)
            return tellChanged(changed)
        }
        await refreshState()
        guard !item.isLocked(in: state) else { throw locked(for: client) }
        try await changing(stored) { (current) async throws(KeychainError) in
            var edits = [ItemEdit(label: label)]
            if let attributes {
                let steps = StoredAttributes.edit(current, to: attributes, collection: item.collection)
                edits = steps.map { ItemEdit(label: label, attributes: $0) }
            }
            var changed = current
            for edit in edits {
                changed = try await self.backend.edit(
                    changed.name, edit, ReadRequest(prompts: .never), if: .isUnchanged(since: changed), in: .own)
            }
            return changed
        }
    }
}

extension BusCall {
    /// Whether the answer has the lock of a collection, or of one item. A client that loads many items asks for all of their properties; the event of a
    /// lock comes to it later.
    fileprivate var asksForLock: Bool {
        guard member == "GetAll" else { return arguments[1].text == "Locked" }
        return arguments[0].text == ServiceName.collection
    }
}
