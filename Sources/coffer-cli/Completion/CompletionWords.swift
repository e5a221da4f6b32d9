import ArgumentParser
import BrokerProtocol
import Coffer
import FoundationEssentials
import Platform

/// The words that can stand at the cursor of a shell. The shells' scripts ask for them at each use, so there is one place for all of them.
struct CompletionWords {
    /// How many names are offered. A person does not look through more.
    static let most = 4096

    private var command: any ParsableCommand.Type = CofferCommand.self
    private var positionals: [String] = []
    /// The option whose value is the word at the cursor.
    private var waiting: Argument?
    private var isAfterDashes = false
    private var owners: [String: String] = [:]
    /// The kind that `--kind` names. Without it, commands about one item find generic ones only.
    private var kind: ItemKind?
    private let current: String

    /// An argument, as ArgumentParser describes it for other programs.
    private struct Argument: Decodable {
        struct Name: Decodable {
            var kind: String
            var name: String

            var written: String { (kind == "long" ? "--" : "-") + name }
        }

        var kind: String
        var shouldDisplay: Bool
        var isRepeating: Bool
        var names: [Name]?
        var allValues: [String]?
        var allValueStrings: [String]?
        var completionKind: Completion?

        /// What ArgumentParser was told to complete a value by. Only files concern this program.
        struct Completion: Decodable {
            let isFile: Bool

            private enum Key: String, CodingKey { case file, directory }

            init(from decoder: any Decoder) throws {
                let kinds = try decoder.container(keyedBy: Key.self)
                isFile = kinds.contains(.file) || kinds.contains(.directory)
            }
        }

        var isFile: Bool { completionKind?.isFile ?? false }

        /// Whether its value is the name of a field.
        var isField: Bool { (names ?? []).contains { ["field", "unset", "file-field"].contains($0.name) } }

        /// Whether its value is the name of a machine.
        var isMachine: Bool { (names ?? []).contains { $0.name == "take" } }

        /// The words that its value can be, if they are few.
        var values: [String] { allValueStrings ?? allValues ?? [] }
    }

    private struct Dump: Decodable {
        struct Command: Decodable { var arguments: [Argument]? }

        var command: Command
    }

    /// What a command's words name.
    private enum Place { case service, account }

    /// - Parameter words: the words after the program's name. The last one is at the cursor and may be empty.
    init(_ words: [String]) {
        current = words.last ?? ""
        for word in words.dropLast() { take(word) }
    }

    private mutating func take(_ word: String) {
        if let option = waiting {
            note(option, word)
            waiting = nil
        } else if isAfterDashes {
            positionals.append(word)
        } else if word == "--" {
            isAfterDashes = true
        } else if word.hasPrefix("-") {
            let halves = word.halves(at: "=")
            guard let option = option(halves?.before ?? word), option.kind == "option" else { return }
            if let halves {
                note(option, halves.after)
            } else if !ArgumentRewriter.hasOptionalValue(word) {
                waiting = option
            }
        } else if positionals.isEmpty, let found = SubcommandSuggestion.command(word, in: command.configuration) {
            command = found
        } else {
            positionals.append(word)
        }
    }

    private mutating func note(_ option: Argument, _ value: String) {
        for name in option.names ?? [] {
            if ["group", "user"].contains(name.name) { owners[name.name] = value }
            if name.name == "kind" { kind = ItemKind(rawValue: value) }
        }
    }

    /// The vault whose names are offered; nil if the words name two.
    var vault: VaultName? {
        let (group, user) = (owners["group"], owners["user"])
        return group != nil && user != nil ? nil : VaultName.named(group: group, user: user)
    }

    /// Whether the shell completes the name of a file here, as it does for every other program.
    var isFile: Bool {
        if let waiting { return waiting.isFile }
        if !isAfterDashes, current.hasPrefix("-") {
            return current.halves(at: "=").flatMap { option($0.before) }?.isFile ?? false
        }
        guard !isRoot, place == nil else { return false }
        let places = arguments.filter { $0.kind == "positional" }
        guard positionals.count >= places.count else { return places[positionals.count].isFile }
        return places.last.map { $0.isRepeating && $0.isFile } ?? false
    }

    /// Each list is asked for only if its names are wanted.
    /// - Parameters:
    ///   - items: the stored items.
    ///   - machines: those that share the vault's items.
    func candidates(items: () -> [ItemAttributes], machines: () -> [Sync.Machine]) -> [String] {
        if let waiting {
            if waiting.isMachine { return offered(all(machines())) }
            return waiting.isField ? fields(items()) : waiting.values
        }
        if !isAfterDashes, current.hasPrefix("-") { return options(items) }
        let subcommands = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
        if positionals.isEmpty, !subcommands.isEmpty {
            return subcommands.compactMap { $0.configuration.commandName } + (isRoot ? ["help"] : [])
        }
        if isRoot {
            guard positionals == ["help"] else { return [] }
            return subcommands.compactMap { $0.configuration.commandName }
        }
        if ObjectIdentifier(command) == ObjectIdentifier(SyncRemoveCommand.self) { return offered(others(machines())) }
        guard let place = place else {
            return positionals.isEmpty ? arguments.filter { $0.kind == "positional" }.flatMap(\.values) : []
        }
        return names(place, items())
    }

    /// Whether the command also takes the names of items in the bin.
    var namesDeleted: Bool { isOfRoot && ["restore", "rm"].contains(command.configuration.commandName) }

    /// Whether the command is one of `coffer` itself.
    private var isOfRoot: Bool {
        CofferCommand.configuration.subcommands.contains { ObjectIdentifier($0) == ObjectIdentifier(command) }
    }

    private var isAboutConflicts: Bool {
        [SyncConflictsCommand.self as any ParsableCommand.Type, SyncResolveCommand.self]
            .contains { ObjectIdentifier($0) == ObjectIdentifier(command) }
    }

    private var isRoot: Bool { ObjectIdentifier(command) == ObjectIdentifier(CofferCommand.self) }

    private func options(_ items: () -> [ItemAttributes]) -> [String] {
        if let name = current.halves(at: "=")?.before {
            let option = option(name)
            let values = option?.isField == true ? fields(items()) : option?.values ?? []
            return values.map { "\(name)=\($0)" }
        }
        return arguments.filter(\.shouldDisplay).flatMap { $0.names ?? [] }.map(\.written).filter { $0.hasPrefix("--") }
    }

    private func option(_ written: String) -> Argument? {
        arguments.first { ($0.names ?? []).contains { $0.written == written } }
    }

    private var arguments: [Argument] {
        // `try?`: without a description there is nothing to offer.
        (try? JSONDecoder().decode(Dump.self, from: Data(command._dumpHelp().utf8)))?.command.arguments ?? []
    }

    private var place: Place? {
        let places: [Place] =
            switch command.configuration.commandName {
            case _ where isAboutConflicts: [.service, .account]
            // There is a "recovery restore", which takes a file.
            case _ where !isOfRoot: []
            case "list": [.service]
            case "rename": [.service, .account, .service]
            case "set", "get", "otp", "edit", "rm", "restore", "rotate", "show", "history", "exists":
                [.service, .account]
            default: []
            }
        return positionals.count < places.count ? places[positionals.count] : nil
    }

    private func names(_ place: Place, _ stored: [ItemAttributes]) -> [String] {
        var names: [String] = []
        let items = stored.filter { item in
            command.configuration.commandName == "list"
                ? kind.map { item.kind == $0 } ?? true : item.kind == kind ?? .genericPassword
        }
        switch place {
        case .service:
            names = items.map(\.service)
            // In one word, as far as it has one meaning.
            if current.contains("/") {
                names += items.filter { !$0.service.contains("/") && !$0.account.contains("/") }
                    .map { "\($0.service)/\($0.account)" }
            }
        case .account:
            names = items.filter { $0.service == positionals[0] }.map(\.account)
        }
        return offered(names)
    }

    /// The fields of the item that the words before name, or of all accounts of its service.
    private func fields(_ stored: [ItemAttributes]) -> [String] {
        guard isOfRoot || isAboutConflicts, let first = positionals.first else { return [] }
        let account = positionals.dropFirst().first
        let items = stored.filter { item in
            item.kind == kind ?? .genericPassword
                && (item.service == first && (account.map { $0 == item.account } ?? true)
                    || account == nil && "\(item.service)/\(item.account)" == first)
        }
        return offered(items.flatMap(\.fields).map(\.name.text))
    }

    private func all(_ machines: [Sync.Machine]) -> [String] {
        let choice = MachineChoice(machines: machines)
        return machines.map(choice.word)
    }

    /// The machines besides this one that the words before do not name.
    private func others(_ machines: [Sync.Machine]) -> [String] {
        let choice = MachineChoice(machines: machines)
        return machines.filter { !$0.own }.map(choice.word).filter { !positionals.contains($0) }
    }

    private func offered(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return Array(names.filter { isOffered($0) && seen.insert($0).inserted }.prefix(Self.most))
    }

    /// Lines separate names on their way to the shell, and a terminal shows them. So a name with a character that is not to be seen is not offered, nor
    /// one that would be read as an option.
    private func isOffered(_ name: String) -> Bool {
        !name.isEmpty && (isAfterDashes || !name.hasPrefix("-"))
            && VisibleCharacters.show(name) && !name.unicodeScalars.contains("\u{FFFD}")
    }
}
