import Item

/// What becomes of an entry's addresses: what may be shown while the vault is locked, and what is kept as a secret.
struct EntryAddresses {
    /// The host of the first address that has one.
    private(set) var host: String?
    /// What may be shown of the first address, for an entry that has no other name.
    private(set) var open: String?
    /// `url`, `url2`…
    private(set) var attributes: [(name: String, text: String)] = []
    /// What the attributes do not have: text that is no address with a host, and whole addresses with a user, a
    /// password, a query or a fragment.
    private(set) var secret: [ImportEntry.Field] = []

    init(_ texts: [String]) {
        let texts = texts.map(\.trimmingSpaces).filter { !$0.isEmpty }
        open = texts.first.map(WebAddress.openPart)
        for text in texts.prefix(ImportLimits.addresses) {
            let address = WebAddress(text)
            if host == nil { host = address?.host }
            if let address, Self.name(attributes.count).utf8.count + address.shown.utf8.count <= ItemLimits.attribute {
                attributes.append((Self.name(attributes.count), address.shown))
                if address.isWhole { continue }
            }
            secret.append(.init(name: Self.name(secret.count), value: text))
        }
        let others = texts.dropFirst(ImportLimits.addresses)
        if !others.isEmpty { secret.append(.init(name: "urls", value: others.joined(separator: "\n"))) }
    }

    private static func name(_ index: Int) -> String { "url" + (index == 0 ? "" : "\(index + 1)") }
}

/// What becomes of an entry's title. Some programs name an entry after its address, with the user and password in it.
struct EntryTitle {
    /// What may be shown while the vault is locked.
    let shown: String
    /// All of it, if that is more.
    private(set) var secret: [ImportEntry.Field] = []

    init(_ entry: ImportEntry) {
        let title = entry.title
        guard title.contains("://") else {
            shown = title
            return
        }
        var address = title[...]
        if entry.showsFragment, let mark = title.firstIndex(of: "#"), !title[mark...].contains("@") {
            address = title[..<mark]
        }
        shown = WebAddress.openPart(String(address)) + String(title[address.endIndex...])
        if !shown.utf8.elementsEqual(title.trimmingSpaces.utf8) { secret = [.init(name: "title", value: title)] }
    }
}
