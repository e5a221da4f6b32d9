import BrokerProtocol

/// A method that concerns one item, so that its errors can name the item.
protocol ItemNaming {
    /// The item's name as sentences show it: github/me.
    var shownName: String { get }
}

extension BrokerProtocol.Keychain.Get: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account) }
}

extension BrokerProtocol.Keychain.Show: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account) }
}

extension BrokerProtocol.Keychain.Edit: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account) }
}

extension BrokerProtocol.Keychain.Rotate: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account) }
}

extension BrokerProtocol.Keychain.Delete: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account) }
}

extension BrokerProtocol.Keychain.Rename: ItemNaming {
    var shownName: String { VisibleText.name(service: service, account: account) }
}

extension BrokerProtocol.Keychain.InVault: ItemNaming where Method: ItemNaming {
    var shownName: String { method.shownName }
}
