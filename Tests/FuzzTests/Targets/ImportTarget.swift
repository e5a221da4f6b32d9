import Import

/// A file of another program. It may not end the process, and what is read keeps the limits that the vault has.
struct ImportTarget: FuzzTarget {
    private let format: ImportedFormat
    /// The file, if its fields are JSON.
    private let tree: JSONTree?
    /// The files of the other formats.
    private let others: [[UInt8]]

    init(_ format: ImportedFormat) throws {
        self.format = format
        tree = format.isJSON ? try JSONTree(parsing: format.valid) : nil
        others = ImportedFormat.allCases.filter { $0 != format }.map { $0.valid }
        // A file that the reader does not know would try very little of it.
        let items = try format.read(format.valid)
        try promise(!items.items.isEmpty && items.problems.isEmpty, "the file to begin with cannot be read")
    }

    mutating func tryOne(_ mutator: inout Mutator) throws {
        let file = file(&mutator)
        guard let read = try answer({ try format.read(file) }) else { return }
        try Self.check(read)
    }

    private func file(_ mutator: inout Mutator) -> [UInt8] {
        // People name the wrong file.
        if mutator.chance(20) { return mutator.pick(others) ?? [] }
        if let tree, !mutator.chance(3) { return mutator.text(tree, donors: [tree]) }
        return mutator.bytes(format.valid, donors: others)
    }

    /// What is read can be stored, each field of an item under a name of its own.
    static func check(_ read: ImportedItems) throws {
        // Byte by byte, as the broker compares them.
        var names: Set<[UInt8]> = []
        for item in read.items {
            try promise(!item.service.isEmpty, "an item has no service")
            try promise(item.service.utf8.count <= 1024 && item.account.utf8.count <= 1024, "a name is too long")
            try promise(item.value.count <= 1 << 20, "a value is too long")
            let name = [item.service, item.account, item.kind ?? "", item.field?.name ?? "secret"].map {
                "\($0.utf8.count):\($0)"
            }.joined()
            try promise(names.insert(Array(name.utf8)).inserted, "two fields of an item have one name")
        }
    }
}
