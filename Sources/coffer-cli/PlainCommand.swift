import Coffer

/// The command lines that scripts call most: `get`, `exists` or `read` with names alone, and `--version` alone. They are read without ArgumentParser,
/// which takes as long to start as all of the rest (docs/decisions/0025-plain-commands.md). Every other line is the parser's.
enum PlainCommand: Equatable {
    case get(service: String, account: String?)
    case exists(service: String, account: String?)
    case read(SecretReference)
    case version

    /// - Returns: nil if the parser has to read the arguments: for an option, a mistake, or another command.
    init?(_ arguments: [String]) {
        guard let verb = arguments.first else { return nil }
        if arguments == ["--version"] {
            self = .version
            return
        }
        let words = arguments.dropFirst()
        guard let first = words.first, words.count <= 2, !words.contains(where: { $0.hasPrefix("-") }) else {
            return nil
        }
        let second = words.dropFirst().first
        switch verb {
        case "get" where Self.areNames(first, second): self = .get(service: first, account: second)
        case "exists" where Self.areNames(first, second): self = .exists(service: first, account: second)
        case "read" where second == nil:
            guard let reference = Self.reference(first) else { return nil }
            self = .read(reference)
        default: return nil
        }
    }

    private static func areNames(_ service: String, _ account: String?) -> Bool {
        do {
            try ItemReference.check(service, account)
            return true
        } catch { return false }
    }

    private static func reference(_ text: String) -> SecretReference? {
        do throws(SecretReference.Mistake) { return try SecretReference(parsing: text) } catch { return nil }
    }

    /// Does what the parsed command would do.
    func run() throws {
        switch self {
        case .get(let service, let account):
            let session = CommandSession()
            let name = try session.partialName(service, account, nil)
            let found = try ItemReading(namesField: true, command: { GetCommand.command(name) }).read(name, session)
            try SecretOutput.value(found.value, of: found.attributes.shownName, raw: false)
        case .exists(let service, let account):
            let session = CommandSession()
            try ExistsCommand.answer(session.partialName(service, account, nil), session)
        case .read(let reference):
            let resolver = ReadCommand.resolver(of: reference, VaultOptions(.own))
            let secret = try ReadCommand.secret(reference, resolver)
            try SecretOutput.value(secret.value, of: secret.shownName, raw: false)
        case .version: try Output.line(CofferCommand.shownVersion)
        }
    }
}
