import Authorization
import BrokerProtocol
import Circle
import Item
import Platform

/// The first text that a person sees: what is asked for, then which program asks, then what that program says about it. It marks the program's own
/// words as such. It shows everything that is signed for; if it cannot, nobody is asked.
enum PromptNotice {
    /// - Throws: ``ConversationError`` if the request cannot be shown whole.
    static func text(for checked: CheckedRequest, from client: Client) throws(ConversationError) -> String {
        let question = question(of: checked)
        let reason = (checked.reason ?? "").ifGiven("Reason it gives: ")
        switch checked.request {
        case .rotate(let items, let circle):
            let what = items.isEmpty ? question.what : question.what + ", and read and reseal:"
            let machines = circle?.machines ?? []
            let told = machines.isEmpty ? "" : "Your other machines are told the new keys: \(list(machines))."
            return try text([what], naming: items, [asker(client), question.effect, told, reason])
        case .readAll(let items, _):
            guard items.count > 1 else { return try whole([question.what, asker(client), reason]) }
            return try text([question.what + ":"], naming: items, [asker(client), reason])
        case .lease(let lease):
            let command = (lease.command ?? "").ifGiven("Command it gives: ")
            let rest = [asker(client) + " and every program that it starts", command, reason]
            guard lease.items.count > 1 else { return try whole([question.what] + rest) }
            return try text([question.what + ":"], naming: lease.items, rest)
        case .circle(let circle):
            return try whole([question.what, asker(client)] + details(of: circle) + [question.effect, reason])
        case .release(let release):
            let names = release.machines.map { EscapedText.quoted($0.text, limit: CircleLimits.name) }
            let rest = ["To: " + names.joined(separator: ", "), asker(client), question.effect, reason]
            guard release.items.count > 1 else { return try whole([question.what] + rest) }
            return try text([question.what + ":"], naming: release.items, rest)
        case .vault, .use, .enrolment:
            return try whole([question.what, asker(client), question.effect, reason])
        }
    }

    /// What a person compares with the other machine.
    private static func details(of request: CircleRequest) throws(ConversationError) -> [String] {
        let words = "Check words, which both machines must show: "
        switch request.deed {
        case .found: return []
        case .add(let new, let role):
            let place =
                switch (new.protection, request.provenName) {
                case (.tpm, let known?):
                    "It has proved that its keys are in the TPM that root's list calls "
                        + "\(EscapedText.quoted(known, limit: PromptLimits.place))."
                case (.tpm, nil): "It says that its keys are in a TPM; nobody has checked that."
                case (.software, _): "Its keys are in software, and can be copied."
                }
            let may =
                switch role {
                case .admin: "It may change them, and add and remove machines."
                case .writer: "It may change them, and add no machine."
                case .reader, .paper: "It may change nothing."
                }
            return [
                "New machine: \(EscapedText.quoted(new.name.text, limit: CircleLimits.name))",
                words + (try request.checkWords ?? ""), place, may,
            ]
        case .paper: return []
        case .join(_, _, let machines):
            return ["Machines: " + list(machines), words + (try request.checkWords ?? "")]
        case .remove(let devices, let machines):
            // Each is shown. Names are chosen by the machines themselves, so the ids stand beside them.
            guard devices.count <= PromptLimits.machines else { throw tooLong }
            let lines = zip(devices, machines).map { device, name in
                let digits = Hex.encode(device.bytes).prefix(PromptLimits.deviceDigits)
                let own = request.isOwn(device) ? ", this machine" : ""
                return "\(EscapedText.quoted(name.text, limit: CircleLimits.name)) (\(digits)\(own))"
            }
            return ["Machines: " + lines.joined(separator: ", ")]
        }
    }

    /// The first of many machines, and how many more there are.
    private static func list(_ machines: [MachineName]) -> String {
        let names = machines.prefix(PromptLimits.machines).map {
            EscapedText.quoted($0.text, limit: CircleLimits.name)
        }
        let more = machines.count > names.count ? " and \(machines.count - names.count) more" : ""
        return names.joined(separator: ", ") + more
    }

    private static func text(
        _ opening: [String], naming items: [BrokerInterface.NamedItem], _ rest: [String]
    ) throws(ConversationError) -> String {
        var lines = ItemLines(room: PromptLimits.notice - joined(opening + rest).unicodeScalars.count)
        for item in items where !lines.add(item.service, item.account, item.kind, item.fields, reason: nil) {
            throw tooLong
        }
        // Each item is read once, so each needs a line of its own.
        guard lines.count == items.count else {
            throw .refused(.challengeRefused("the challenge names an item twice"))
        }
        return joined(opening + lines.indented + rest)
    }

    /// - Parameter items: all requests that one answer could serve, the client's own first.
    /// - Returns: the text, and the items that it names. The answer counts for these items only.
    /// - Throws: ``ConversationError`` if the client's own item cannot be shown whole.
    static func text(
        for checked: CheckedRequest, _ items: [ShownItem], from client: Client
    ) throws(ConversationError) -> (text: String, shown: [ShownItem]) {
        func opening(_ item: String) -> String { question(of: checked, for: item).what }
        let longest = [opening("these \(PromptLimits.items) items") + ":", asker(client)]
        var lines = ItemLines(room: PromptLimits.notice - joined(longest).unicodeScalars.count)
        var shown: [ShownItem] = []
        for item in items {
            guard let service = item.service, let account = item.account,
                lines.add(service, account, item.kind, item.fields, reason: item.reason)
            else { continue }
            shown.append(item)
        }
        guard !items.isEmpty, shown.first == items.first else { throw tooLong }
        if shown.count == 1 { return (try text(for: checked, from: client), shown) }
        if let single = lines.single { return (try whole([opening(single), asker(client)]), shown) }
        return (try whole([opening("these \(lines.count) items") + ":"] + lines.indented + [asker(client)]), shown)
    }

    private static func whole(_ parts: [String]) throws(ConversationError) -> String {
        let text = joined(parts)
        guard text.unicodeScalars.count <= PromptLimits.notice else { throw tooLong }
        return text
    }

    private static func joined(_ parts: [String]) -> String { parts.filter { !$0.isEmpty }.joined(separator: "\n") }

    private static var tooLong: ConversationError {
        .refused(.challengeRefused("the request is too long to be shown to a person"))
    }

    /// The notice for asking now, and then not again for a while.
    static func text(forReuse seconds: Int, in session: TerminalSession, from client: Client) -> String {
        joined([
            "Skip further prompts for \(SpokenTime.of(seconds: seconds))", asker(client),
            "Until then, every program in this terminal's session (begun by process \(session.leader.pid)) may read all items "
                + "that require your presence without asking you.",
        ])
    }

    private static func asker(_ client: Client) -> String {
        // The process may run another program by the time a person reads this.
        "for \(client.program.shown) (process \(client.process.pid), \(place(of: client)))"
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

    /// What a person is asked for, and what follows from it, in a sentence of its own.
    private struct Question {
        var what: String
        let effect: String
    }

    /// - Parameter items: words for the items of several requests; nil for the request's own item.
    private static func question(of checked: CheckedRequest, for items: String? = nil) -> Question {
        let group =
            checked.claim.right == .member
            ? "the group \(EscapedText.quoted(checked.claim.name, limit: PromptLimits.owner))" : nil
        let owner = group.map { " of \($0)" } ?? ""
        let unlocking = " and unlock \(group == nil ? "your" : "its") vault"
        let terms = checked.request.kind.terms
        var question = Question(what: terms.words, effect: terms.effect)
        switch checked.request {
        case .vault(.create): question.what += " \(group ?? "you") and unlock it"
        case .vault(.unlock): question.what += " \(group.map { "the vault of \($0)" } ?? "your vault")"
        case .vault(.accept): question.what += " \(EscapedText.quoted(checked.claim.name, limit: PromptLimits.owner))"
        // Their words name the vault.
        case .rotate, .circle:
            guard checked.claim.right == .root else { break }
            let account = EscapedText.quoted(checked.claim.name, limit: PromptLimits.owner)
            let vault = "the vault of the service account \(account)"
            question.what = question.what.replacing("your vault's secrets", with: "the secrets of \(vault)")
                .replacing("your vault", with: vault)
        case .vault, .enrolment: break
        // The item stands before the vault, so that it is what a person sees first.
        case .use(let use, let unlocks):
            question.what = words(for: use, items ?? name(use.item), owner) + (unlocks ? unlocking : "")
        case .readAll(let items, let unlocks):
            let named = items.count == 1 ? name(items[0]) : "these \(items.count) items"
            question.what += " \(named)\(owner)" + (unlocks ? unlocking : "")
        case .release(let release):
            question.what +=
                " " + (release.items.count == 1 ? name(release.items[0]) : "these \(release.items.count) items")
                + " to your other machines"
        case .lease(let lease):
            let named = lease.items.count == 1 ? name(lease.items[0]) : "these \(lease.items.count) items"
            let time = SpokenTime.of(seconds: Int(clamping: lease.seconds))
            question.what += " \(named)\(owner) for \(time) without asking you again"
        }
        return question
    }

    private static func words(for use: ItemUse, _ item: String, _ owner: String) -> String {
        let words = use.kind.terms.words
        switch use.deed {
        case .read:
            guard let version = use.item.version else { return "\(words) \(item)\(owner)" }
            let now = use.presentName.map { ", now \(name($0))" } ?? ""
            return "\(words) a former value (version \(version)) of \(item)\(owner)\(now)"
        case .change: return "\(words) \(item)\(owner)"
        case .rename(let newName):
            return "\(words) \(item)\(owner) to \(name(newName)), the name that prompts show from then on"
        }
    }

    private static func name(_ item: BrokerInterface.NamedItem) -> String {
        EscapedText.name(item.service, item.account) + item.kind.suffix + item.fields.suffix()
    }
}

extension String {
    /// The text in quotes after its introduction; empty if the text is empty. One that is mostly escapes loses its middle: no program needs such a
    /// reason.
    fileprivate func ifGiven(_ introduction: String) -> String {
        guard !isEmpty else { return "" }
        return introduction + VisibleText.shortened(self, to: PromptLimits.claim) { EscapedText.whole($0) }
    }
}

extension ItemKind? {
    /// What follows an item's name, outside of its quotes, so that no name can imitate it. Items of different kinds can
    /// have one name.
    fileprivate var suffix: String {
        guard let kind = self, kind != .genericPassword else { return "" }
        return " (\(kind.rawValue))"
    }
}

extension [String]? {
    /// `secret` alone needs no name.
    fileprivate var shown: [String] { self == ["secret"] ? [] : self ?? [] }

    /// The fields of an item, after its name and outside of its quotes.
    fileprivate func suffix(spelling: Bool = false) -> String {
        let fields = shown
        guard !fields.isEmpty else { return "" }
        return (fields.count == 1 ? ", field " : ", fields ")
            + fields.map { EscapedText.whole($0, spelling: spelling) }.joined(separator: ", ")
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
    /// All lines, as they stand in the text.
    var indented: [String] { lines.map { "  \($0.shown)" } }

    /// Adds one item. If two threads ask for the same item, the person sees one line.
    /// - Returns: whether the item is named now. False if its line does not fit, or if a text is longer than an item's can be.
    mutating func add(
        _ service: String, _ account: String, _ kind: ItemKind?, _ fields: [String]?, reason: String?
    ) -> Bool {
        let names = ([service, account, reason ?? "", kind.suffix] + fields.shown).map { Array($0.utf8) }
        guard names[0].count <= PromptLimits.name, names[1].count <= PromptLimits.name,
            names[2].count <= PromptLimits.reason
        else { return false }
        if let same = lines.firstIndex(where: { $0.names == names }) {
            lines[same].requests += 1
            return true
        }
        var text = Self.text(service, account, kind, fields, reason, spelling: false)
        // The line looks like another one: é, for example, can be one character or two.
        if lines.contains(where: { $0.text == text }) {
            text = Self.text(service, account, kind, fields, reason, spelling: true)
        }
        let size = text.unicodeScalars.count + Self.margin
        guard size <= room else { return false }
        room -= size
        lines.append(Line(text: text, names: names))
        return true
    }

    private static func text(
        _ service: String, _ account: String, _ kind: ItemKind?, _ fields: [String]?, _ reason: String?,
        spelling: Bool
    ) -> String {
        let name =
            EscapedText.name(service, account, spelling: spelling) + kind.suffix + fields.suffix(spelling: spelling)
        guard let reason, !reason.isEmpty else { return name }
        return name + ", reason it gives: \(EscapedText.whole(reason, spelling: spelling))"
    }
}
