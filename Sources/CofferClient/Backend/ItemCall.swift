import BrokerProtocol
import Platform
import Varlink

/// A call about items: what goes to the broker, and what its answer is in the library's types. ``KeychainClient`` and
/// ``BrokerBackend`` make the same ones.
package struct ItemCall<Method: VarlinkMethod, Answer>: Sendable {
    /// What goes to the broker.
    package var method: Method
    /// Reads what the broker answers.
    package let answer: @Sendable (Method.Reply) throws(KeychainError) -> Answer

    init(_ method: Method, _ answer: @escaping @Sendable (Method.Reply) throws(KeychainError) -> Answer) {
        self.method = method
        self.answer = answer
    }
}

extension ItemCall where Method == BrokerProtocol.Keychain.Get, Answer == Item {
    /// Reads a value, or a former one.
    package static func read(_ name: PartialName, _ request: ReadRequest) -> Self {
        Self(
            Wire.Get(
                service: name.service, account: name.account, kind: name.kind,
                field: (name.field ?? request.field)?.text, version: request.version.map(Int64.init),
                reason: request.reason, unlock: request.mayUnlock,
                applicationPassword: request.applicationPassword.map(Base64.encode),
                forOthers: request.forOthers ? true : nil)
        ) { reply throws(KeychainError) in
            Item(value: try Base64.take(reply.value), attributes: try ItemAttributes(reply.item))
        }
    }
}

extension ItemCall where Method == BrokerProtocol.Keychain.GetAll, Answer == [Item] {
    /// Reads several values, all or none.
    package static func readAll(_ names: [PartialName], _ request: ReadRequest) -> Self {
        Self(
            Wire.GetAll(
                items: names.map { $0.wire(field: request.field) }, reason: request.reason, unlock: request.mayUnlock,
                forOthers: request.forOthers ? true : nil)
        ) { [count = names.count] reply throws(KeychainError) in
            guard reply.items.count == count else {
                throw KeychainError(
                    .protocolViolation, "the broker gave another number of items",
                    advice: "install coffer and cofferd of the same version")
            }
            var found: [Item] = []
            for one in reply.items {
                found.append(Item(value: try Base64.take(one.value), attributes: try ItemAttributes(one.item)))
            }
            return found
        }
    }
}

extension ItemCall where Method == BrokerProtocol.Keychain.Exists, Answer == Bool {
    package static func exists(_ name: PartialName) -> Self {
        Self(Wire.Exists(service: name.service, account: name.account, kind: name.kind)) { $0.exists }
    }
}

extension ItemCall where Method == BrokerProtocol.Keychain.Show, Answer == ItemAttributes {
    /// Everything about an item except its value.
    package static func attributes(of name: PartialName) -> Self {
        Self(Wire.Show(service: name.service, account: name.account, kind: name.kind)) { reply throws(KeychainError) in
            try ItemAttributes(reply.item)
        }
    }
}

/// An item, and the values that it had before, the newest first.
package struct ItemHistory: Sendable {
    package let item: ItemAttributes
    package let versions: [ItemVersion]
}

extension ItemCall where Method == BrokerProtocol.Keychain.History, Answer == ItemHistory {
    package static func history(of name: PartialName) -> Self {
        Self(Wire.History(service: name.service, account: name.account, kind: name.kind)) {
            reply throws(KeychainError) in
            ItemHistory(
                item: try ItemAttributes(reply.item),
                versions: try reply.versions.map { (former) throws(KeychainError) in try ItemVersion(former) })
        }
    }
}

/// An item's name, or its service alone if the service has only one account.
package struct PartialName: Sendable, Equatable {
    package let service: String
    /// nil for the service's only account.
    package let account: String?
    /// nil for a generic item.
    package let kind: ItemKind?
    /// nil for `secret`.
    package var field: FieldName?

    package init(service: String, account: String?, kind: ItemKind? = nil, field: FieldName? = nil) {
        self.field = field
        self.service = service
        self.account = account
        self.kind = kind
    }

    package init(_ name: ItemName) {
        self.init(service: name.service, account: name.account, kind: name.wireKind)
    }

    /// The name as sentences show it: github/me, or the service alone.
    package var shownName: String { VisibleText.name(service: service, account: account, kind: kind) }

    /// The same item, and this field of it.
    package func with(_ field: FieldName?) -> PartialName {
        PartialName(service: service, account: account, kind: kind, field: field)
    }
}
