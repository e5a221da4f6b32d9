import Coffer
import Foundation
import SystemBus

@testable import Cryptography
@testable import SecretService

/// Object paths, sessions and their encrypted secrets, attributes of items in the vault, records of collections.
struct SecretTarget: FuzzTarget {
    private let paths = [
        "/org/freedesktop/secrets/collection/login/0a1b", "/org/freedesktop/secrets/aliases/default",
        "/org/freedesktop/secrets/session/s1_1", "/org/freedesktop/secrets/prompt/p1_1", "/org/freedesktop", "/",
    ].map { Array($0.utf8) }
    private let texts = [
        "server", "", "coffer:collection", "coffer:attribute:a", "coffer:content-type", "xdg:schema", "username", "=",
        "-", "text/plain", "service", "m\u{FC}ller", "coffer:record", "collection", "coffer:id", "coffer:alias:default",
        "\u{301}",
    ].map { Array($0.utf8) }
    private let key: SecretBytes
    private let theirs: [UInt8]

    init() async throws {
        key = try SecretBytes(copying: Random.bytes(AESCBC.keyCount))
        theirs = try ModularDiffieHellman.PrivateKey.generate().publicKey
    }

    mutating func tryOne(_ mutator: inout Mutator) throws {
        switch mutator.below(5) {
        case 0: try path(&mutator)
        case 1: try sealed(&mutator)
        case 2: try agreement(&mutator)
        case 3: try attributes(&mutator)
        default: try records(&mutator)
        }
    }

    private func text(_ mutator: inout Mutator) -> String {
        let plain = mutator.pick(texts) ?? []
        return String(decoding: mutator.chance(2) ? plain : mutator.bytes(plain, donors: texts), as: UTF8.self)
    }

    private func path(_ mutator: inout Mutator) throws {
        let text = String(decoding: mutator.bytes(mutator.pick(paths) ?? [], donors: paths), as: UTF8.self)
        let again: String? =
            switch ObjectPath(text) {
            case .collection(let id): ObjectPath.pathOfCollection(id)
            case .item(let collection, let id): ObjectPath.pathOfItem(id, in: collection)
            case .session(let id): ObjectPath.pathOfSession(id)
            case .prompt(let id): ObjectPath.pathOfPrompt(id)
            default: nil
            }
        try promise(again == nil || again == text, "\(text) stands for \(again ?? "")")
    }

    /// A secret of a client: structure, initialisation vector, padding.
    private func sealed(_ mutator: inout Mutator) throws {
        let session = BusSession(id: "s", owner: ":1.1", key: mutator.chance(4) ? nil : key)
        let value = (0..<mutator.below(70)).map { UInt8($0) }
        let original = try session.seal(try SecretBytes(copying: value), contentType: "text/plain")
        let sent = try mutator.values([original], donors: [original, .text("x"), .flag(true)])[0...]
        guard let first = sent.first, let received = ReceivedSecret(first) else { return }
        let opened = try answer { try session.open(parameters: received.parameters, value: received.value) }
        try promise((opened?.count ?? 0) <= received.value.count, "a secret that is larger than what came")
        guard first == original else { return }
        try promise(opened?.copied() == value, "another secret than was sent")
    }

    private func agreement(_ mutator: inout Mutator) throws {
        let input = mutator.bytes(theirs, donors: [ModularDiffieHellman.prime])
        guard let algorithm = mutator.pick([SessionAlgorithm.diffieHellman, .diffieHellman, .plain]) else { return }
        let value: BusValue = mutator.chance(8) ? .text("") : .bytes(try SecretBytes(copying: input))
        guard let (output, key) = try answer({ try algorithm.negotiate(value) }) else { return }
        guard algorithm == .diffieHellman else { return try promise(key == nil && output == .text(""), "a key") }
        let number = input.drop { $0 == 0 }
        try promise(number.count > 1 || (number.first ?? 0) > 1, "a public key of 0 or 1 is taken")
        try promise(key?.count == AESCBC.keyCount && output.bytes?.count == 128, "a key of another size")
    }

    /// What a client stores comes back as it was, under every name.
    private func attributes(_ mutator: inout Mutator) throws {
        var wanted: [String: String] = [:]
        for _ in 0..<mutator.below(6) { wanted[text(&mutator)] = text(&mutator) }
        let contentType = text(&mutator)
        let stored = StoredAttributes.encode(wanted, collection: "login", contentType: contentType)
        try promise(!stored.contains { $0.key.isEmpty || $0.value.isEmpty } || contentType == "", "an empty attribute")
        let item = try Self.item(stored)
        try promise(StoredAttributes.decode(item).pairs == wanted.pairs, "\(wanted) comes back as another")
        try promise(contentType == "-" || StoredAttributes.contentType(of: item) == contentType, "another content type")
        let seen = ServiceItem(item, collections: ["login"])
        try promise(seen != nil, "a client's attribute hides its item: \(wanted)")
        let name = ItemNameChoice.name(label: text(&mutator), attributes: wanted)
        let numbered = ItemNameChoice.numbered(name.account, 1 + mutator.below(1000))
        try promise(max(name.service.utf8.count, numbered.utf8.count) <= 1024, "a name that the vault does not take")
        var index = ItemIndex()
        if let seen { index.insert(seen) }
        // No client can look for what D-Bus does not carry.
        let sent = StoredAttributes.shown(wanted)
        try promise(index.search(sent).items.isEmpty == sent.isEmpty, "an item that is not found by its attributes")
    }

    /// Another program of the same user can write records.
    private func records(_ mutator: inout Mutator) throws {
        var items: [ItemAttributes] = []
        for number in 0..<mutator.below(5) {
            var attributes = [
                StoredAttributes.record: mutator.chance(2) ? "collection" : "aliases", "coffer:id": text(&mutator),
            ]
            for _ in 0..<mutator.below(4) { attributes["coffer:alias:" + text(&mutator)] = text(&mutator) }
            items.append(try Self.item(attributes, service: CollectionRecord.service, account: "\(number)"))
        }
        var table = CollectionTable(started: .now)
        table.load(items)
        try promise(table[CollectionInfo.defaultID] != nil && table[CollectionInfo.sessionID] != nil, "none is left")
        try promise(table[CollectionInfo.sessionID]?.isTransient == true, "a record becomes the session collection")
        for collection in table.all {
            try promise(ObjectPath.isWord(collection.id), "no object path has the word \(collection.id)")
        }
        for (alias, id) in table.aliases {
            try promise(id == ServiceName.none || table.collection(aliased: alias) != nil, "an alias of nothing")
        }
        try promise(ObjectPath.isWord(table.newID(label: text(&mutator))), "a new collection without a path")
    }

    private static func item(
        _ attributes: [String: String], service: String = "s", account: String = "a"
    ) throws -> ItemAttributes {
        ItemAttributes(
            id: UUID().uuidString, name: ItemName(service: service, account: account), attributes: attributes,
            created: .now, modified: .now, version: 1, revision: "r")
    }
}
