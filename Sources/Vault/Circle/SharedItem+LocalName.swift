import Circle
import Item

extension SharedItem {
    /// The name that the item has in each vault: with a suffix if it ran into a taken one. A long account is cut, so that a
    /// person can name the item.
    func localName(_ names: SharedNames) -> ItemName {
        guard let suffix = names.suffix(of: self) else { return name }
        return named(name.account.beginning(of: ItemLimits.name - 1 - suffix.utf8.count), suffix)
    }

    /// The name that earlier versions have given. One that was too long is in their vaults, and nobody has chosen it.
    func uncutName(_ names: SharedNames) -> ItemName {
        guard let suffix = names.suffix(of: self) else { return name }
        return named(name.account, suffix)
    }

    private func named(_ account: String, _ suffix: String) -> ItemName {
        let whole = account.isEmpty ? suffix : "\(account) \(suffix)"
        return ItemName(service: name.service, account: whole, itemClass: name.itemClass)
    }
}

extension String {
    /// The first scalars that have so many bytes at most. What a character is differs from one version of Unicode to the
    /// next, and all machines must cut alike.
    fileprivate func beginning(of count: Int) -> String {
        guard utf8.count > count else { return self }
        var (text, left) = (String.UnicodeScalarView(), count)
        for scalar in unicodeScalars {
            left -= UTF8.width(scalar)
            guard left >= 0 else { break }
            text.append(scalar)
        }
        return String(text)
    }
}
