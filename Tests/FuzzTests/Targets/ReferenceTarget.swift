import Foundation

@testable import coffer_cli

/// References, files of variables and templates, and the mask of a program's output.
struct ReferenceTarget: FuzzTarget {
    private let references = [
        "coffer://github/me", "coffer://a%2Fb/%C3%A9", "coffer://db?group=ops%26dev&kind=key", "coffer://s/?user=u",
        "coffer://a/%C0%AF", "coffer://a/%00", "COFFER://a/b",
    ].map { Array($0.utf8) }
    private let files = [
        "# comment\nexport A='coffer://a/b' # more\nB=\"x\\n\\\"\"\n\nC=plain # c\r\n", "A=coffer:/a\nA=2\nB",
    ].map { Array($0.utf8) }
    private let templates = [
        "a {{ coffer://a/b }} \\{{coffer://c}} {{{coffer://d}}} {{ other }}\n\\\\{{coffer://e/f?kind=key}}",
        "{{ coffer://a\n}} {{coffer://b/c/d}}",
    ].map { Array($0.utf8) }

    init() async throws {}

    mutating func tryOne(_ mutator: inout Mutator) throws {
        let donors = references + files + templates
        switch mutator.below(4) {
        case 0: try reference(mutator.bytes(mutator.pick(references) ?? [], donors: donors))
        case 1: try file(mutator.bytes(mutator.pick(files) ?? [], donors: donors))
        case 2: try template(mutator.bytes(mutator.pick(templates) ?? [], donors: donors))
        default: try mask(&mutator)
        }
    }

    private func reference(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let reference = try answer({ try SecretReference(parsing: text) }) else { return }
        try promise(SecretReference.isMeant(text.utf8), "a reference that is not meant as one: \(text)")
        try promise(!reference.service.utf8.contains(0) && reference.account?.utf8.contains(0) != true, "a zero byte")
        let again = try answer { try SecretReference(parsing: reference.text) }
        try promise(again == reference, "\(text) is written as \(reference.text), which is another")
    }

    private func file(_ bytes: [UInt8]) throws {
        let variables = try answer { try VariableFile.parse(bytes) } ?? []
        for (name, source) in variables {
            try promise(VariableName.isValid(name), "a variable called \(name)")
            guard case .plain(let value) = source else { continue }
            try promise(!value.contains(0), "a zero byte in \(name)")
            try promise(!SecretReference.isMeant(value), "a reference that passes as a value")
        }
    }

    private func template(_ bytes: [UInt8]) throws {
        guard let template = try answer({ try Template(parsing: bytes) }) else { return }
        // What has no reference stays as it is.
        guard template.references.isEmpty, !bytes.contains(UInt8(ascii: "\\")) else { return }
        try promise(template.filled([:], limit: bytes.count) == bytes, "text that changes without a reference")
    }

    private func mask(_ mutator: inout Mutator) throws {
        // Two letters only, so that strings overlap.
        let strings = (0..<1 + mutator.below(3)).map { _ in
            (0..<1 + mutator.below(6)).map { _ in UInt8(97 + mutator.below(2)) }
        }
        let stream = (0..<mutator.below(200)).map { _ in UInt8(97 + mutator.below(mutator.chance(4) ? 3 : 2)) }
        var mask = OutputMask(SecretMatcher(strings))
        var shown: [UInt8] = []
        var rest = stream[...]
        while !rest.isEmpty {
            let part = rest.prefix(1 + mutator.below(7))
            shown += mask.read(Array(part))
            rest = rest.dropFirst(part.count)
        }
        shown += mask.finish()
        try promise(shown == Self.masked(stream, strings), "\(strings) in \(stream) are shown as \(shown)")
    }

    /// The same, looked for at every place.
    private static func masked(_ stream: [UInt8], _ strings: [[UInt8]]) -> [UInt8] {
        var isSecret = [Bool](repeating: false, count: stream.count)
        for start in stream.indices {
            for string in strings where stream[start...].starts(with: string) {
                for index in start..<start + string.count { isSecret[index] = true }
            }
        }
        var shown: [UInt8] = []
        for index in stream.indices {
            if !isSecret[index] {
                shown.append(stream[index])
            } else if index == 0 || !isSecret[index - 1] {
                shown += OutputMask.mark
            }
        }
        return shown
    }
}
