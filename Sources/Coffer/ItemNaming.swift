import BrokerProtocol

/// A method that is about one item, so that its errors can say which.
protocol ItemNaming {
    /// The item's name in sentences: github/me.
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
