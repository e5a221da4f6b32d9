import BrokerProtocol
import Platform

/// Items between the library's types and those of `org.coffer.Keychain`.
extension ItemAttributes {
    package init(_ item: BrokerProtocol.Keychain.Item) throws(KeychainError) {
        guard let version = Int(exactly: item.version) else {
            throw KeychainError(.protocolViolation, "the broker gave an impossible version")
        }
        self.init(
            id: item.id,
            name: ItemName(service: item.service, account: item.account, itemClass: item.kind),
            label: item.label,
            comment: item.comment, attributes: item.attributes, access: item.access,
            times: ItemTimes(
                created: Moment(milliseconds: item.created), modified: Moment(milliseconds: item.modified),
                expires: item.expires.map(Moment.init(milliseconds:))),
            version: version, revision: item.revision,
            fields: try item.fields?.map { (field) throws(KeychainError) in try Field(field) })
        biometrySet = item.biometrySet
        deleted = item.deleted.map(Moment.init(milliseconds:))
    }
}

extension Field {
    init(_ field: Wire.Field) throws(KeychainError) {
        guard let name = FieldName(field.name) else { throw Self.impossible }
        self.init(
            name, field.kind, setAt: Moment(milliseconds: field.set), biometrySet: field.biometrySet)
    }

    static var impossible: KeychainError {
        KeychainError(
            .protocolViolation, "the broker gave an impossible field",
            advice: "install coffer and cofferd of the same version")
    }
}

extension ItemVersion {
    init(_ former: Wire.FormerVersion) throws(KeychainError) {
        guard let field = FieldName(former.field ?? FieldName.secret.text) else { throw Field.impossible }
        self.init(
            version: Int(clamping: former.version), setAt: Moment(milliseconds: former.set),
            droppedAt: Moment(milliseconds: former.until), access: former.access, field: field)
    }
}

extension ItemName {
    /// As calls name an item: the usual kind is left out.
    var wireKind: ItemKind? { itemClass == .genericPassword ? nil : itemClass }
}

extension PartialName {
    package var wire: BrokerProtocol.Keychain.ItemName { wire(field: nil) }

    /// - Parameter field: of a name that has none.
    func wire(field: FieldName?) -> Wire.ItemName {
        Wire.ItemName(service: service, account: account, kind: kind, field: (self.field ?? field)?.text)
    }
}

extension NewItem {
    var wireField: String? { field == .secret ? nil : field.text }

    var wireAccess: Wire.AccessChange? {
        get throws(KeychainError) {
            guard let partialAccess else { return try access?.wire }
            do throws(AccessControlError) { return try Wire.AccessChange(partialAccess) } catch {
                throw KeychainError(error)
            }
        }
    }
}

extension ItemChange.Condition {
    var mode: Wire.SetMode? {
        switch self {
        case .none, .isUnchanged: nil
        case .isAbsent: .new
        case .isPresent: .existing
        }
    }

    var revision: String? { if case .isUnchanged(let revision) = self { revision } else { nil } }
}

extension Wire.Change {
    /// - Throws: `.invalidArgument` for a condition that a deletion cannot have.
    init(_ change: ItemChange, now: Moment) throws(KeychainError) {
        let name = change.name
        switch change.action {
        case .set(let item):
            self.init(
                action: .set, service: name.service, account: name.account, kind: name.wireKind,
                value: Base64.encode(item.value), field: item.wireField, fieldKind: item.fieldKind,
                access: try item.wireAccess, label: item.label,
                comment: item.comment, attributes: item.attributes, expires: item.expires?.milliseconds(now: now),
                mode: change.condition.mode, ifRevision: change.condition.revision,
                applicationPassword: item.applicationPassword.map(Base64.encode))
        case .delete:
            guard change.condition.mode == nil else {
                throw KeychainError(
                    .invalidArgument, "a deletion may only have the condition isUnchanged",
                    advice: "look at the item first, and give its revision")
            }
            self.init(
                action: .delete, service: name.service, account: name.account, kind: name.wireKind,
                ifRevision: change.condition.revision, bin: change.goesIntoBin ? true : nil)
        }
    }
}

extension AccessControl {
    /// As calls name it.
    /// - Throws: `.invalidArgument` if it contradicts itself. Nothing is sent then.
    var wire: Wire.AccessChange {
        get throws(KeychainError) {
            do throws(AccessControlError) { return try Wire.AccessChange(self) } catch { throw KeychainError(error) }
        }
    }

    /// The same.
    /// - Throws: `.invalidArgument` if it contradicts itself.
    package var checked: AccessControl {
        get throws(KeychainError) {
            do throws(AccessControlError) { try check() } catch { throw KeychainError(error) }
            return self
        }
    }
}

extension PartialAccess {
    /// What an item has after the change.
    /// - Throws: `.invalidArgument` if that contradicts itself.
    package func checked(over former: AccessControl) throws(KeychainError) -> AccessControl {
        do throws(AccessControlError) { return try applied(to: former) } catch { throw KeychainError(error) }
    }
}

extension Base64 {
    /// Decodes a secret of the broker's, and overwrites the text.
    static func take(_ text: String) throws(KeychainError) -> [UInt8] {
        defer { Wipe.storage(of: text.utf8) }
        guard let bytes = decode(text) else {
            throw KeychainError(
                .protocolViolation, "the broker's answer holds no value",
                advice: "install coffer and cofferd of the same version")
        }
        return bytes
    }
}
