import BrokerProtocol
import Platform

/// The first text that a person sees: which program asks, and for what. It marks the program's own words as such. It shows everything that is signed
/// for; if it cannot, nobody is asked.
enum PromptNotice {
    /// - Throws: ``ConversationError`` if the request cannot be shown whole.
    static func text(for checked: CheckedRequest, from client: Client) throws(ConversationError) -> String {
        let opening = "\(subject(client)) asks to \(purpose(of: checked))"
        switch checked.request {
        case .rotate(let items) where !items.isEmpty:
            return try text(opening + ". For that it reads and reseals:", naming: items)
        case .readAll(let items, _):
            let reason = (checked.reason ?? "").ifGiven("\nReason it gives: ")
            guard items.count > 1 else { return try whole(opening + "." + reason) }
            return try text(opening + ":", naming: items, reason)
        case .lease(let lease):
            let words =
                (lease.command ?? "").ifGiven("\nCommand it gives: ")
                + (checked.reason ?? "").ifGiven("\nReason it gives: ")
            return try text(opening + ":", naming: lease.items, words)
        case .create, .unlock, .use, .recovery, .bind, .unbind, .tieToBoot, .releaseFromBoot, .approveBoot, .accept,
            .rotate, .enrolment:
            return try whole(opening + "." + (checked.reason ?? "").ifGiven("\nReason it gives: "))
        }
    }

    private static func text(
        _ opening: String, naming items: [BrokerInterface.NamedItem], _ reason: String = ""
    ) throws(ConversationError) -> String {
        var lines = ItemLines(
            room: PromptLimits.notice - opening.unicodeScalars.count - reason.unicodeScalars.count)
        for item in items where !lines.add(item.service, item.account, item.kind, reason: nil) { throw tooLong }
        // Each item is read once, so each needs a line of its own.
        guard lines.count == items.count else {
            throw .refused(.challengeRefused("the challenge names an item twice"))
        }
        return opening + lines.text + reason
    }

    /// - Parameter items: all requests that one answer could serve, the client's own first.
    /// - Returns: the text, and the items that it names. The answer counts for these items only.
    /// - Throws: ``ConversationError`` if the client's own item cannot be shown whole.
    static func text(
        for checked: CheckedRequest, _ items: [ShownItem], from client: Client
    ) throws(ConversationError) -> (text: String, shown: [ShownItem]) {
        func opening(_ item: String) -> String { "\(subject(client)) asks to \(purpose(of: checked, for: item))" }
        var lines = ItemLines(
            room: PromptLimits.notice - opening("these \(PromptLimits.items) items").unicodeScalars.count)
        var shown: [ShownItem] = []
        for item in items {
            guard let service = item.service, let account = item.account,
                lines.add(service, account, item.kind, reason: item.reason)
            else { continue }
            shown.append(item)
        }
        guard !items.isEmpty, shown.first == items.first else { throw tooLong }
        if shown.count == 1 { return (try text(for: checked, from: client), shown) }
        if let single = lines.single { return (try whole(opening(single) + "."), shown) }
        return (try whole(opening("these \(lines.count) items") + ":" + lines.text), shown)
    }

    private static func whole(_ text: String) throws(ConversationError) -> String {
        guard text.unicodeScalars.count <= PromptLimits.notice else { throw tooLong }
        return text
    }

    private static var tooLong: ConversationError {
        .refused(.challengeRefused("the request is too long to be shown to a person"))
    }

    /// The notice for asking now, and then not again for a while.
    static func text(forReuse seconds: Int, in session: TerminalSession, from client: Client) -> String {
        let time = SpokenTime.of(seconds: seconds)
        return "\(subject(client)) asks to skip further prompts for \(time). Until then, every program in this "
            + "terminal's session (begun by process \(session.leader.pid)) may read all items that require your presence "
            + "without asking you."
    }

    private static func subject(_ client: Client) -> String {
        let process = "Process \(client.process.pid)"
        // The process may run another program by the time a person reads this.
        guard let program = client.resolvedProgram else {
            let name = EscapedText.quoted(client.program, limit: PromptLimits.program)
            return "\(process), which calls itself \(name) (\(place(of: client))),"
        }
        return
            "\(process), \(EscapedText.quoted(program, limit: PromptLimits.program)) when it connected (\(place(of: client))),"
    }

    private static func place(of client: Client) -> String {
        if let terminal = client.terminal {
            return "terminal \(EscapedText.escaped(terminal, limit: PromptLimits.place))"
        }
        if let session = client.loginSession {
            return "session \(EscapedText.escaped(session, limit: PromptLimits.place))"
        }
        return "no terminal"
    }

    /// - Parameter items: words for the items of several requests; nil for the request's own item.
    private static func purpose(of checked: CheckedRequest, for items: String? = nil) -> String {
        let group =
            checked.claim.right == .member
            ? "the group \(EscapedText.quoted(checked.claim.name, limit: PromptLimits.owner))" : nil
        let unlock = group.map { "unlock the vault of \($0)" } ?? "unlock your vault"
        switch checked.request {
        case .create: return "make a vault for \(group ?? "you") and unlock it"
        case .unlock: return unlock
        case .use(let use, let unlocks):
            let deed = words(for: use, items ?? name(use.item), of: group)
            return unlocks ? "\(unlock) and \(deed)" : deed
        case .readAll(let items, let unlocks):
            let named = items.count == 1 ? name(items[0]) : "these \(items.count) items"
            let deed = "read \(named)\(group.map { " of \($0)" } ?? "")"
            return unlocks ? "\(unlock) and \(deed)" : deed
        case .recovery:
            return
                "make a new recovery code. With that code and a copy of your vault's file, anyone can read your secrets, on any "
                + "machine and without you. Secrets that are for this device only stay closed"
        case .bind: return "bind your vault to your login password. From then on, nothing else opens it"
        case .unbind:
            return "unbind your vault from your login password. This destroys its items of class passcode-set"
        case .accept:
            return
                "accept the present file of the vault of \(EscapedText.quoted(checked.claim.name, limit: PromptLimits.owner)), although the TPM "
                + "has not counted it. It may be an older copy, so this may undo deletions and changes"
        case .tieToBoot:
            return
                "tie your vault to the way this machine was started. If you do not approve a change of firmware or kernel "
                + "in advance, only the recovery code opens the vault after it"
        case .releaseFromBoot:
            return
                "release your vault from the way this machine is started. It then opens no matter how the machine was started"
        case .approveBoot: return "change which ways of starting this machine open your vault"
        case .rotate:
            return
                "renew all keys of your vault. Afterwards, earlier copies of its file and an earlier recovery code no longer open it"
        case .lease(let lease):
            let named = lease.items.count == 1 ? "this item" : "these \(lease.items.count) items"
            return
                "let itself and every program that it starts read \(named)\(group.map { " of \($0)" } ?? "") without asking "
                + "you, for \(SpokenTime.of(seconds: Int(clamping: lease.seconds)))"
        // Nobody is asked for this.
        case .enrolment: return "bind an item to your enrolled fingers"
        }
    }

    private static func words(for use: ItemUse, _ item: String, of group: String?) -> String {
        let owner = group.map { " of \($0)" } ?? ""
        switch use.deed {
        case .read:
            guard let version = use.item.version else { return "read \(item)\(owner)" }
            let now = use.presentName.map { ", now \(name($0))" } ?? ""
            return "read a former value (version \(version)) of \(item)\(owner)\(now)"
        case .change: return "permanently change the requirements for reading \(item)\(owner)"
        case .rename(let newName):
            return "rename \(item)\(owner) to \(name(newName)), the name that prompts show from then on"
        }
    }

    private static func name(_ item: BrokerInterface.NamedItem) -> String {
        EscapedText.name(item.service, item.account) + item.kind.suffix
    }
}

extension String {
    /// The text in quotes after its introduction; empty if the text is empty.
    fileprivate func ifGiven(_ introduction: String) -> String {
        isEmpty ? "" : introduction + EscapedText.whole(self)
    }
}

extension Keychain.ItemKind? {
    /// What follows an item's name, outside of its quotes, so that no name can imitate it. Items of different kinds can
    /// have one name.
    fileprivate var suffix: String {
        guard let kind = self, kind != .generic else { return "" }
        return " (\(kind.rawValue))"
    }
}

/// The lines of a prompt that name items. Each line is complete, and no two items have the same line.
struct ItemLines {
    /// One line, and the number of its requests.
    private struct Line {
        let text: String
        /// The bytes of the names. They differ even if Unicode calls two names equal.
        let names: [[UInt8]]
        var requests = 1

        var shown: String { requests > 1 ? text + ", \(requests) times" : text }
    }

    private var lines: [Line] = []
    /// The room that is left, in characters (Unicode scalars).
    private var room: Int

    /// Room for a line's indentation and its count of requests, in characters.
    private static let margin = 16

    /// - Parameter room: the room for all lines together, in characters (Unicode scalars).
    init(room: Int) { self.room = room }

    var count: Int { lines.count }
    /// The only line; nil unless there is exactly one.
    var single: String? { lines.count == 1 ? lines[0].shown : nil }
    /// All lines, each starting with a line break.
    var text: String { lines.map { "\n  \($0.shown)" }.joined() }

    /// Adds one item. If two threads ask for the same item, the person sees one line.
    /// - Returns: whether the item is named now. False if its line does not fit, or if a text is longer than an item's can be.
    mutating func add(
        _ service: String, _ account: String, _ kind: Keychain.ItemKind?, reason: String?
    ) -> Bool {
        let names = [service, account, reason ?? "", kind.suffix].map { Array($0.utf8) }
        guard names[0].count <= PromptLimits.name, names[1].count <= PromptLimits.name,
            names[2].count <= PromptLimits.reason
        else { return false }
        if let same = lines.firstIndex(where: { $0.names == names }) {
            lines[same].requests += 1
            return true
        }
        var text = Self.text(service, account, kind, reason, spelling: false)
        // The line looks like another one: é, for example, can be one character or two.
        if lines.contains(where: { $0.text == text }) {
            text = Self.text(service, account, kind, reason, spelling: true)
        }
        let size = text.unicodeScalars.count + Self.margin
        guard size <= room else { return false }
        room -= size
        lines.append(Line(text: text, names: names))
        return true
    }

    private static func text(
        _ service: String, _ account: String, _ kind: Keychain.ItemKind?, _ reason: String?, spelling: Bool
    ) -> String {
        let name = EscapedText.name(service, account, spelling: spelling) + kind.suffix
        guard let reason, !reason.isEmpty else { return name }
        return name + ", reason it gives: \(EscapedText.whole(reason, spelling: spelling))"
    }
}
