import Coffer
import FoundationEssentials
import Glibc
import HelperProtocol
import Platform

/// Items that were read without their machine, and can be stored anew.
protocol RestoredSource: ~Copyable {
    var items: [OldVault.Item] { get }

    /// - Parameters:
    ///   - index: an index into ``items``.
    ///   - field: an index into the fields of that item.
    /// - Throws: `.invalidArgument` if this one value cannot be read.
    mutating func value(at index: Int, field: Int) throws(KeychainError) -> [UInt8]
}

/// Stores such items in the present vault, by ordinary calls.
struct Restoration<Source: RestoredSource & ~Copyable>: ~Copyable {
    private var old: Source
    private let session: CommandSession
    private let replace: Bool
    private let isTrial: Bool
    private var progress: ProgressLine
    /// nil if nothing is compared, because all is replaced.
    private var present: PresentItems?

    /// - Parameter isTrial: only look, and store nothing.
    init(old: consuming Source, session: CommandSession, replace: Bool, isTrial: Bool) {
        progress = ProgressLine(total: old.items.count, verb: isTrial ? "Compared" : "Restored")
        self.old = old
        self.session = session
        self.replace = replace
        self.isTrial = isTrial
    }

    /// - Returns: what became of the items, and what ended it before the last of them.
    consuming func run() -> (items: [RestoredItem], failure: KeychainError?) {
        var items: [RestoredItem] = []
        var failure: KeychainError?
        do throws(KeychainError) {
            if !replace { present = try PresentItems(of: old.items, session, isTrial: isTrial) }
            for index in old.items.indices {
                items.append(try restore(index))
                progress.show(items.count)
            }
        } catch { failure = error.code == .damaged ? Self.aboutPresent(error) : error }
        progress.clear()
        if !isTrial, items.contains(where: { $0.outcome == .restored }) {
            failure = failure?.afterPart("what was restored stays; for the rest, run the command again")
        }
        return (items, failure)
    }

    /// A damaged copy has not come so far, so the damage is in the vault that is filled.
    private static func aboutPresent(_ error: KeychainError) -> KeychainError {
        KeychainError(
            error.code, "this is about your present vault, not about the copy: \(error.message)",
            advice: error.advice, cause: error.cause)
    }

    private mutating func restore(_ index: Int) throws(KeychainError) -> RestoredItem {
        let item = old.items[index]
        let isTrial = isTrial
        func outcome(_ outcome: RestoredItem.Outcome, _ reason: String? = nil) -> RestoredItem {
            RestoredItem(
                service: item.service, account: item.account, kind: item.kind, outcome: outcome, reason: reason,
                isTrial: isTrial)
        }
        guard !item.thisDeviceOnly else { return outcome(.lost) }
        if let expires = item.expires, Double(expires) <= Date().timeIntervalSince1970 * 1000 {
            return outcome(.expired)
        }
        do throws(KeychainError) {
            if !replace, try exists(item) {
                let (found, reason) = try comparison(index)
                return outcome(found, reason)
            }
            if !isTrial { try store(index) }
            return outcome(.restored)
        } catch {
            switch error.code {
            case .alreadyExists: return outcome(.kept)
            // Only this item failed, so the others are still tried.
            case .invalidArgument, .limitExceeded: return outcome(.refused, error.description)
            default: throw error
            }
        }
    }

    /// What becomes of an item whose name the vault has.
    private mutating func comparison(_ index: Int) throws(KeychainError) -> (RestoredItem.Outcome, String?) {
        switch present?.standing(of: old.items[index]) {
        case .values(let values):
            for (place, value) in values.enumerated() {
                guard try old.value(at: index, field: place) == value else { return (.kept, nil) }
            }
            return (.same, nil)
        case .notCompared(let reason): return (.kept, reason)
        case .other, nil: return (.kept, nil)
        }
    }

    private func exists(_ item: OldVault.Item) throws(KeychainError) -> Bool {
        try session.client.call(
            ItemCall.exists(PartialName(service: item.service, account: item.account, kind: kind(of: item))))
    }

    private func kind(of item: OldVault.Item) throws(KeychainError) -> ItemKind? {
        guard let name = item.kind else { return nil }
        guard let kind = ItemKind(rawValue: name) else {
            throw KeychainError(.invalidArgument, "this version of Coffer does not know its kind")
        }
        return kind
    }

    private mutating func store(_ index: Int) throws(KeychainError) {
        let item = old.items[index]
        let name = FullName(service: item.service, account: item.account, kind: try kind(of: item))
        // Read before the first is stored, so that a value that cannot be read leaves no part of an item behind.
        let fields = try values(of: item, at: index)
        guard let first = fields.first else { throw KeychainError(.invalidArgument, "it has no field") }
        let access = try AccessControl(item)
        var new = NewItem(
            value: first.value, access: access, label: item.label ?? "", comment: item.comment ?? "",
            attributes: item.attributes,
            expiry: item.expires.map { .at(Date(milliseconds: Int64(clamping: $0))) } ?? .never)
        if access.requirements.contains(.applicationPassword) {
            // The question would be in its line.
            progress.clear()
            do throws(KeychainError) {
                new.applicationPassword = try session.passwordInput(for: name.shownName, noPrompt: false).new()
            } catch {
                guard error.code == .authenticationNeeded else { throw error }
                var reason = error.message
                if case .nobody(let obstacle) = session.ownPrompter() { reason = obstacle.reason }
                throw KeychainError(.invalidArgument, "it needs a new application password, but \(reason)")
            }
        }
        var changes: [ItemChange] = []
        for field in fields {
            let isFirst = changes.isEmpty
            var part = isFirst ? new : NewItem(value: field.value, applicationPassword: new.applicationPassword)
            part.field = field.name
            part.fieldKind = field.kind
            let condition: ItemChange.Condition = isFirst ? (replace ? .none : .isAbsent) : .isPresent
            changes.append(ItemChange(name.item, .set(part), if: condition))
        }
        var stored = 0
        // All at once: a half that an interruption left would be kept when the command is run again.
        for batch in try Self.batches(of: changes, oneByOne: new.applicationPassword != nil) {
            do throws(KeychainError) { try send(batch, name) } catch {
                let names = fields[stored...].map { VisibleText.quoted($0.name.text) }
                let named = error.naming(batch.count) { "field \(names[$0])" }
                guard stored > 0 else { throw named }
                // Some fields are there by now, so a person must know which ones are not.
                throw KeychainError(
                    named.code,
                    "from its field \(names[0]) on, it was not restored, so use --replace next: \(named.message)",
                    advice: named.advice, cause: named.cause)
            }
            stored += batch.count
        }
    }

    /// As many changes as one call takes. Fields with an application password are stored one by one: the broker proves
    /// with each that it is the password of the others.
    private static func batches(of changes: [ItemChange], oneByOne: Bool) throws(KeychainError) -> [[ItemChange]] {
        var batches: [[ItemChange]] = []
        var bytes = 0
        for change in changes {
            let size = try MessageSize.count(change)
            bytes += size
            if batches.isEmpty || oneByOne || bytes > BatchLimits.bytes {
                batches.append([change])
                bytes = size
            } else {
                batches[batches.count - 1].append(change)
            }
        }
        return batches
    }

    /// Makes changes of one item: all of them or none.
    private func send(_ changes: [ItemChange], _ name: FullName) throws(KeychainError) {
        if changes.count == 1, case .set(let item) = changes[0].action {
            _ = try session.call(
                ItemCall.set(name.item, to: item, if: changes[0].condition), for: name.shownName,
                command: session.unlockCommand)
        } else {
            _ = try session.call(ItemCall.apply(changes), for: name.shownName, command: session.unlockCommand)
        }
    }

    private struct OldField {
        let name: FieldName
        /// nil for the field secret.
        let kind: FieldKind?
        let value: [UInt8]
    }

    private mutating func values(of item: OldVault.Item, at index: Int) throws(KeychainError) -> [OldField] {
        var fields: [OldField] = []
        for (place, field) in item.fields.enumerated() {
            guard let name = FieldName(field.name), let kind = FieldKind(rawValue: field.kind) else {
                throw KeychainError(.invalidArgument, "this version of Coffer does not know one of its fields")
            }
            fields.append(
                OldField(name: name, kind: name == .secret ? nil : kind, value: try old.value(at: index, field: place)))
        }
        return fields
    }
}

extension AccessControl {
    /// The access control of an old vault's item, in the broker's terms. An item is never stored with fewer requirements
    /// than it had.
    fileprivate init(_ item: OldVault.Item) throws(KeychainError) {
        let require = item.require.compactMap(Requirement.init(rawValue:))
        guard require.count == item.require.count, let accessibility = Accessibility(rawValue: item.accessibility)
        else {
            throw KeychainError(.invalidArgument, "this version of Coffer does not know its access control")
        }
        do throws(AccessControlError) {
            try self.init(
                accessibility, isThisDeviceOnly: item.thisDeviceOnly, requirements: Set(naming: require),
                anyIsEnough: item.any)
        } catch { throw KeychainError(error) }
    }
}

/// Reads a recovery code from a person at the terminal, or from standard input. It never takes arguments or the environment, which every program of
/// the user can read.
struct RecoveryCodeInput {
    /// Opens a file with a code. The code's checksum shows a mistyped code before the file is opened, and the person types it again.
    func open(_ vault: inout OldVaultReading) throws(KeychainError) {
        guard isatty(STDIN_FILENO) == 1 else { return try vault.open(with: piped()) }
        for _ in 1..<InputLimits.recoveryTries {
            let code = try ask()
            do throws(KeychainError) { return try vault.open(with: code) } catch {
                guard error.code == .invalidArgument else { throw error }
                Output.note("coffer: \(error.message); type it again")
            }
        }
        try vault.open(with: ask())
    }

    private func ask() throws(KeychainError) -> [UInt8] {
        let answer = try TerminalPrompter(guardian: .thisProgram).ask(
            .init(style: .visible, text: "Recovery code: "), hangUp: -1)
        guard let answer else { throw .cancelledByPerson }
        return Array(answer.utf8.prefix(InputLimits.recoveryCode + 1))
    }

    private func piped() throws(KeychainError) -> [UInt8] {
        do { return try StandardInput.read(limit: InputLimits.recoveryCode + 1) } catch {
            throw KeychainError(.failed, "standard input cannot be read", advice: "nothing was restored")
        }
    }
}
