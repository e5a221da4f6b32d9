import BrokerProtocol
import Coffer
import Courier

/// What the commands of `coffer sync` say.
enum SharingText {
    /// What an exchange did: "3 new, 1 changed, 0 deleted here; 2 secrets are not shared: …"
    /// - Parameter settings: how many items of this command's own stay on this machine. Nobody waits for them elsewhere.
    static func summary(_ outcome: ExchangeOutcome, settings: Int) -> String {
        var parts = ["\(outcome.added) new, \(outcome.updated) changed, \(outcome.deleted) deleted here"]
        if outcome.givenSegments > 0 { parts.append("changes of this machine are in the folder now") }
        if outcome.putBack > 0 { parts.append(putBack(outcome.putBack)) }
        if outcome.waiting > 0 { parts.append(waiting(outcome.waiting)) }
        if let obstacles = obstacles(notShared(outcome, settings: settings)) { parts.append(obstacles) }
        if let conflicts = conflicts(outcome.conflicts) { parts.append(conflicts) }
        return parts.joined(separator: "; ")
    }

    /// Files of other machines that the folder had lost.
    static func putBack(_ count: Int) -> String {
        "\(count) file\(count == 1 ? "" : "s") that the folder had lost \(count == 1 ? "is" : "are") back"
    }

    /// How many secrets are not shared, by the reason.
    static func notShared(_ outcome: ExchangeOutcome, settings: Int) -> [String: Int] {
        var obstacles = outcome.obstacles
        obstacles["this-device-only", default: 0] -= settings
        return obstacles.filter { $0.value > 0 }
    }

    /// Which secrets are not shared: a line for each reason, as far as the broker has named some. "  too long: bank/me, and 2 more"
    static func unshared(_ outcome: ExchangeOutcome) -> [String] {
        outcome.unshared.sorted { $0.key < $1.key }.compactMap { reason, items in
            guard let label = label(reason), !items.isEmpty else { return nil }
            var names = items.map {
                VisibleText.name(
                    service: $0.service, account: $0.account, kind: $0.kind.flatMap(ItemKind.init(rawValue:)))
            }
            let more = (outcome.obstacles[reason] ?? 0) - names.count
            if more > 0 { names.append("and \(more) more") }
            return "  \(label): \(names.joined(separator: ", "))"
        }
    }

    /// - Returns: nil for a reason that this version does not know.
    private static func label(_ reason: String) -> String? {
        switch reason {
        case "gated": "requires what other machines cannot ask for"
        case "to-release": "to be released here"
        case "not-released": "to be released on another machine"
        case "undecided": "changed on several machines"
        case "too-long": "too long"
        case "name-taken": "name is taken"
        case "unreadable": "cannot be read here"
        case "no-room": "no room here"
        default: nil
        }
    }

    /// - Returns: nil if there are none.
    static func obstacles(_ obstacles: [String: Int]) -> String? {
        let count = obstacles.values.reduce(0, +)
        guard count > 0 else { return nil }
        let reasons = obstacles.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { reason($0.key, $0.value) }.joined(separator: ", ")
        return "\(count) secret\(count == 1 ? " is" : "s are") not shared: \(reasons)"
    }

    private static func reason(_ reason: String, _ count: Int) -> String {
        let one = count == 1
        return switch reason {
        case "this-device-only": "\(count) \(one ? "is" : "are") for this device only"
        case "gated":
            "\(count) require\(one ? "s" : "") an application password, or the fingers that are enrolled here"
        case "to-release":
            "\(count) require\(one ? "s" : "") you and \(one ? "was" : "were") set before the other machines joined "
                + "(run: coffer sync release)"
        case "not-released":
            "\(count) require\(one ? "s" : "") you and wait\(one ? "s" : "") to be released to this machine (run on another "
                + "one: coffer sync release)"
        case "undecided":
            "\(count) \(one ? "was" : "were") renamed, or require\(one ? "s" : "") something else, on another machine (do the same "
                + "here, or set \(one ? "it" : "them") again there)"
        case "too-long": "\(count) \(one ? "is" : "are") too long"
        case "name-taken": "\(count) \(one ? "has" : "have") a name that is taken"
        case "unreadable":
            "\(count) cannot be read here (set \(one ? "it" : "them") again on the machine that changed "
                + "\(one ? "it" : "them"))"
        case "no-room": "\(count) \(one ? "has" : "have") no room here (remove secrets that you do not need)"
        case let other: "\(count) (\(VisibleText.line(other)))"
        }
    }

    static func secrets(_ count: Int) -> String { count == 1 ? "1 secret" : "\(count) secrets" }

    /// What several machines have changed at the same time, and the command that shows it.
    /// - Returns: nil if there is nothing.
    static func conflicts(_ count: Int) -> String? {
        guard count > 0 else { return nil }
        let subject = count == 1 ? "1 thing was" : "\(count) things were"
        return "\(subject) changed on several machines at the same time, see: coffer sync conflicts"
    }

    static func waiting(_ count: Int) -> String {
        "\(count) change\(count == 1 ? " waits" : "s wait") for something that has not come yet"
    }

    /// What a machine has given out, and what has not come with its head.
    static func missing(_ count: Int64, of name: String) -> String {
        let one = count == 1
        return "\(name) was heard, but \(count) of its changes \(one ? "is" : "are") missing or damaged in the folder"
    }

    /// What the person should look at in the folder.
    static func warnings(_ outcome: ExchangeOutcome) -> [String] {
        guard !outcome.strange.isEmpty else { return [] }
        let names = outcome.strange.map(VisibleText.line).joined(separator: ", ")
        return [
            "coffer: warning: this is not what Coffer keeps in the folder, and was left out: \(names). "
                + "Find out who writes there, and remove it."
        ]
    }

    /// The five words that both machines show.
    static func words(_ words: [String]) -> String { words.map(VisibleText.line).joined(separator: " ") }

    static func name(_ machine: Sync.Machine) -> String {
        machine.name.map(VisibleText.line) ?? "machine \(VisibleText.line(String(machine.device.prefix(8))))"
    }

    /// The folder, and how it gets to the others.
    static func folder(_ content: SharingSetting.Content) -> String {
        VisibleText.line(content.folder)
            + (content.branch.map { " (git, \(VisibleText.line($0.shown)))" } ?? "")
            + (content.remote.map { $0.server.map { " (S3, \(VisibleText.line($0)))" } ?? " (WebDAV)" } ?? "")
    }

    /// `coffer sync status`.
    /// - Parameters:
    ///   - folder: in words.
    ///   - isUnpushed: whether changes of this machine are committed and not pushed.
    ///   - isBehind: whether the folder lacks the newest head of this machine.
    ///   - unreleased: how many secrets the code on paper does not open yet; nil if that is not known now.
    ///   - takesPaper: whether there can be a code on paper.
    static func status(
        _ state: Sync.State.Reply, folder: String, isUnpushed: Bool = false, isBehind: Bool = false,
        unreleased: Int? = nil, takesPaper: Bool = true, width: Int?
    ) -> [String] {
        guard state.circle != nil else {
            return state.requested
                ? ["This machine waits to join others. Go on with: coffer sync join FOLDER"]
                : [
                    "Your vault shares its secrets with no other machine yet.",
                    "Begin on this one:                coffer sync init FOLDER",
                    "If another machine has begun:     coffer sync join FOLDER",
                ]
        }
        guard state.joined else {
            return [
                "This machine was removed from those that share the secrets. What it has stays here.",
                "To end sharing here:         coffer sync leave",
                "To come back after that:     coffer sync join FOLDER",
            ]
        }
        let names = MachineChoice(machines: state.machines).shown
        var lines = ["Folder: \(folder)", "Machines: \(state.machines.count)"]
        let rows = zip(state.machines, names).map { ["  " + $1, role($0), heard($0)] }
        lines += Columns.aligned(rows, width: width, narrowing: [[0], [2]])
        if takesPaper { lines.append("Paper: \(paper(state.paper, unreleased: unreleased))") }
        if state.machines.count == 1 { lines.append("To add another machine, run there: coffer sync join FOLDER") }
        if isBehind, state.pending == 0 {
            lines.append("Not in the folder yet: what this machine gave out last; run: coffer sync now")
        }
        if state.pending > 0 {
            let count = state.pending == 1 ? "1 change" : "\(state.pending) changes"
            lines.append("Not in the folder yet: \(count) of this machine; run: coffer sync now")
        }
        if isUnpushed { lines.append("Not pushed yet: changes of this machine; run: coffer sync now") }
        if state.waiting > 0 {
            lines.append(
                "Waiting: \(waiting(Int(clamping: state.waiting))); run on the other machines: coffer sync now")
        }
        if let conflicts = conflicts(Int(clamping: state.conflicts ?? 0)) { lines.append("Conflicts: \(conflicts)") }
        for (machine, name) in zip(state.machines, names) {
            guard let missing = machine.missing, missing > 0 else { continue }
            lines.append("Missing: \(Self.missing(missing, of: name))")
        }
        for (machine, name) in zip(state.machines, names) where machine.forked {
            lines.append(
                "Problem: two copies of the vault of \(name) write at the same time; stop using one of them")
        }
        for (machine, name) in zip(state.machines, names) where machine.agrees == false {
            lines.append("Problem: \(disagreement(with: name)); see: coffer doctor")
        }
        return lines
    }

    private static func paper(_ paper: Sync.Paper?, unreleased: Int?) -> String {
        guard let paper else { return "none; to survive the loss of all machines: coffer sync paper" }
        let made = paper.made.map { "made \(TimeText($0).day)" } ?? "made at a time that is not known here yet"
        guard let unreleased, unreleased > 0 else { return made }
        return "\(made); \(notOnPaper(unreleased))"
    }

    /// The secrets that require a person and that the code on paper does not open yet.
    static func notOnPaper(_ count: Int) -> String {
        "\(count) secret\(count == 1 ? " that requires you is" : "s that require you are") not on it yet, run: "
            + "coffer sync release"
    }

    /// What the person should know after the code on paper was removed.
    static let paperRemoval =
        "Removed the code on paper. It opens nothing that is set from now on. Whoever has it and an older copy of the folder "
        + "reads what was there: destroy it, or change the secrets; to see them: coffer sync exposed"

    static func disagreement(with name: String) -> String {
        "this machine and \(name) have the same changes, and have made different secrets of them"
    }

    /// What the person should do after machines were removed.
    /// - Parameter words: what names them on a command line.
    static func removal(of names: [String], words: [String]) -> [String] {
        let one = names.count == 1
        return [
            "Removed \(names.joined(separator: ", ")). \(one ? "It keeps" : "They keep") the secrets that "
                + "\(one ? "it has" : "they have"), and \(one ? "gets" : "get") no new ones.",
            "If somebody else can use \(one ? "it" : "one of them"): change the secrets that it could read. "
                + "To see them: \(ShellText.command(["coffer", "sync", "exposed"] + words))",
            "Take the folder away from \(one ? "it" : "them"), too: remove the device in Syncthing, or change the "
                + "folder's password.",
        ]
    }

    private static func role(_ machine: Sync.Machine) -> String {
        VisibleText.line(machine.role) + (machine.protection == "software" ? ", without a TPM" : "")
    }

    private static func heard(_ machine: Sync.Machine) -> String {
        if machine.own { return "this machine" }
        let heard = machine.heard.map { "last heard \(TimeText($0).relative())" } ?? "nothing heard yet"
        return machine.seen == false ? "\(heard), lacks changes of this machine" : heard
    }

    /// What the machines are called that have not taken in all that this one gave out.
    static func behind(_ machines: [Sync.Machine]) -> [String] {
        zip(machines, MachineChoice(machines: machines).shown).filter { $0.0.seen == false }.map(\.1)
    }
}

/// What an exchange did, as `--json` gives it.
struct ExchangeRecord: Encodable {
    private let added: Int
    private let updated: Int
    private let deleted: Int
    private let waiting: Int
    private let notShared: [String: Int]
    /// The first of these by name, for each reason but this-device-only.
    private let unshared: [String: [UnsharedRecord]]
    private let conflicts: Int
    private let filesRead: Int
    private let filesWritten: Int
    private let strangeFiles: [String]

    init(_ outcome: ExchangeOutcome, settings: Int) {
        (added, updated, deleted) = (outcome.added, outcome.updated, outcome.deleted)
        waiting = outcome.waiting
        conflicts = outcome.conflicts
        notShared = SharingText.notShared(outcome, settings: settings)
        unshared = outcome.unshared.mapValues { items in items.map(UnsharedRecord.init) }
        (filesRead, filesWritten) = (outcome.taken, outcome.given)
        strangeFiles = outcome.strange
    }
}

/// A secret that is not shared, or not whole.
struct UnsharedRecord: Encodable {
    private let service: String
    private let account: String
    private let kind: String

    init(_ item: Sync.Unshared) { (service, account, kind) = (item.service, item.account, item.kind ?? "generic") }
}

/// `coffer sync status --json`.
struct SharingRecord: Encodable {
    private let circle: String?
    private let folder: String?
    /// The branch of a remote git repository; left out if the folder is none.
    private let git: String?
    /// Changes of this machine are committed and not pushed; left out if the folder is no git repository.
    private let unpushed: Bool?
    /// The folder lacks what this machine gave out last. Left out if that is not known.
    private let behind: Bool?
    private let joined: Bool
    private let machines: [MachineRecord]
    private let digest: String?
    private let pending: Int64
    private let waiting: Int64
    private let requested: Bool
    /// Left out if only an unlocked vault can tell.
    private let conflicts: Int64?
    private let paper: PaperRecord?

    private struct PaperRecord: Encodable {
        var device: String
        var made: String?
    }

    private struct MachineRecord: Encodable {
        var device: String
        var name: String?
        var role: String
        var protection: String?
        var own: Bool
        var heard: String?
        var forked: Bool
        var seen: Bool?
        var agrees: Bool?
        var missing: Int64?
    }

    /// - Parameters:
    ///   - content: nil if the folder is not known now.
    ///   - isBehind: nil if that is not known.
    init(
        _ state: Sync.State.Reply, _ content: SharingSetting.Content?, isUnpushed: Bool = false, isBehind: Bool? = nil
    ) {
        unpushed = content?.branch.map { _ in isUnpushed }
        behind = isBehind
        circle = state.circle
        (folder, git) = (content?.folder, content?.branch?.shown)
        joined = state.joined
        machines = state.machines.map { machine in
            MachineRecord(
                device: machine.device, name: machine.name, role: machine.role, protection: machine.protection,
                own: machine.own, heard: machine.heard.map { TimeText($0).iso8601 }, forked: machine.forked,
                seen: machine.seen, agrees: machine.agrees, missing: machine.missing)
        }
        digest = state.digest
        (pending, waiting, requested) = (state.pending, state.waiting, state.requested)
        conflicts = state.conflicts
        paper = state.paper.map { paper in
            PaperRecord(device: paper.device, made: paper.made.map { TimeText($0).iso8601 })
        }
    }
}
