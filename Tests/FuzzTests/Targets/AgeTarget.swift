import Age

/// Files in the age format, made for a key that the reader has. None may end the process, and what opens is what was sealed.
struct AgeTarget: FuzzTarget {
    private static let identity = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
    private let key: AgeIdentity
    private let content = Array("content".utf8)
    private let files: [[UInt8]]

    init() async throws {
        key = try AgeIdentity(Self.identity)
        let recipient = key.recipient
        let content = content
        files = try [false, true].map { armored in
            try AgeFile.seal(content, for: .recipients([recipient, recipient]), armored: armored)
        }
    }

    mutating func tryOne(_ mutator: inout Mutator) throws {
        let file = mutator.bytes(mutator.pick(files) ?? [], donors: files)
        if let opened = try answer({ try AgeFile(file).open(.identities([key])) }) {
            try promise(opened == content, "a changed file was opened")
        }
        _ = try answer { try AgeFile(file).takesPassphrase }
        _ = try answer {
            try AgeRecipient(String(decoding: mutator.bytes(Array(key.recipient.text.utf8)), as: UTF8.self))
        }
        _ = try answer {
            try AgeIdentity.file(String(decoding: mutator.bytes(Array("# x\n\(Self.identity)\n".utf8)), as: UTF8.self))
        }
    }
}
