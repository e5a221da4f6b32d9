/// An item's name, or its service alone if the service has only one account.
package struct PartialName: Sendable, Equatable {
    package let service: String
    /// nil for the service's only account.
    package let account: String?
    /// nil for a generic item.
    package let kind: ItemKind?

    package init(service: String, account: String?, kind: ItemKind? = nil) {
        self.service = service
        self.account = account
        self.kind = kind
    }

    package init(_ name: ItemName) {
        self.init(service: name.service, account: name.account, kind: name.wireKind)
    }

    /// The name as sentences show it: github/me, or the service alone.
    package var shownName: String { VisibleText.name(service: service, account: account, kind: kind) }
}
