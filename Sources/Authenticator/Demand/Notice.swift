import BrokerProtocol
import Platform

/// The first thing a person sees: which program asks, for what. Said as claimed: the program's own words are marked as such.
enum Notice {
    /// The most items that one prompt names.
    static let mostItems = 32
    /// In characters: so many items and their reasons fit, each name as long as it is shown.
    static let longest = 20_000

    private static let longestName = 120

    static func text(for demand: Demand, from client: Client) -> String {
        guard demand.rotated.isEmpty else {
            let lines = demand.rotated.map { "\n  \(name($0.service, $0.account))" }.joined()
            return "\(subject(client)) asks to \(purpose(of: demand, nil)); for that it reads, and seals anew:" + lines
        }
        let item = demand.item.map { name($0.service, $0.account) }
        return "\(subject(client)) asks to \(purpose(of: demand, item))." + reason(demand.reason)
    }

    /// - Parameter items: all that one answer is for, the client's own first.
    static func text(for demand: Demand, _ items: [ShownItem], from client: Client) -> String {
        var lines: [String] = []
        for item in items where item.service != nil {
            let line =
                "\n  \(name(item.service ?? "", item.account ?? ""))"
                + (item.reason ?? "").ifGiven(", reason it gives: ")
            // Asked for twice, as by two threads, it is one thing to a person.
            if !lines.contains(line) { lines.append(line) }
        }
        guard lines.count > 1 else { return text(for: demand, from: client) }
        return "\(subject(client)) asks to \(purpose(of: demand, "these \(lines.count) items")):" + lines.joined()
    }

    /// To be asked now, and not again for a while.
    static func text(forReuse seconds: Int, in session: TerminalSession, from client: Client) -> String {
        let time = SpokenTime.of(seconds: seconds)
        return "\(subject(client)) asks that you need not answer again for \(time): until then every program in this "
            + "terminal's session (begun by process \(session.leader.pid)) may read all items that ask for your presence, "
            + "without asking you."
    }

    private static func subject(_ client: Client) -> String {
        "\(VisibleText.quoted(client.program, limit: 200)) (process \(client.process.pid), \(place(of: client)))"
    }

    private static func place(of client: Client) -> String {
        if let terminal = client.terminal { return "terminal \(VisibleText.escaped(terminal, limit: 32))" }
        if let session = client.loginSession { return "session \(VisibleText.escaped(session, limit: 32))" }
        return "no terminal"
    }

    private static func purpose(of demand: Demand, _ item: String?) -> String {
        var parts: [String] = []
        let group =
            demand.claim.right == .member ? "the group \(VisibleText.quoted(demand.claim.name, limit: 64))" : nil
        if demand.purposes.contains(.create) { parts.append("make a keychain for \(group ?? "you") and unlock it") }
        if demand.purposes.contains(.unlock) {
            parts.append(group.map { "unlock the keychain of \($0)" } ?? "unlock your keychain")
        }
        if demand.purposes.contains(.recovery) {
            parts.append(
                "make a new recovery code: whoever has that code and a copy of your keychain's file can read every "
                    + "secret in it that is not for this device only, on any machine and without you")
        }
        if demand.purposes.contains(.bind) {
            parts.append("bind your keychain to your login password: nothing else opens it from then on")
        }
        if demand.purposes.contains(.unbind) {
            parts.append(
                "unbind your keychain from your login password: its items of class passcode-set are destroyed by that")
        }
        if demand.purposes.contains(.accept) {
            parts.append(
                "take the keychain of \(VisibleText.quoted(demand.claim.name, limit: 64)) for the newest as its file is now, though the TPM has not "
                    + "counted it so: it may be an older copy, in which what was deleted or changed since is as it was before"
            )
        }
        if demand.purposes.contains(.tieToBoot) {
            parts.append(
                "tie your keychain to the way this machine was started: after a change of firmware or kernel that you have "
                    + "not approved before it, nothing but the recovery code brings back what it holds")
        }
        if demand.purposes.contains(.releaseFromBoot) {
            parts.append("release your keychain from the way this machine is started: it opens then however that was")
        }
        if demand.purposes.contains(.approveBoot) {
            parts.append("change the ways of starting this machine under which your keychain opens")
        }
        if demand.purposes.contains(.rotate) {
            parts.append(
                "renew all keys of your keychain: copies of its file from before, and an earlier recovery code, open nothing of it afterwards"
            )
        }
        if let item {
            let deed = demand.purposes.contains(.change) ? "change for good what it takes to read" : "read"
            parts.append("\(deed) \(item)" + (group.map { " of \($0)" } ?? ""))
        }
        return parts.joined(separator: " and ")
    }

    private static func name(_ service: String, _ account: String) -> String {
        "\(VisibleText.quoted(service, limit: longestName)) / \(VisibleText.quoted(account, limit: longestName))"
    }

    private static func reason(_ reason: String?) -> String { (reason ?? "").ifGiven("\nReason it gives: ") }
}

extension String {
    /// In quotes, behind its introduction; nothing for nothing.
    fileprivate func ifGiven(_ introduction: String) -> String {
        isEmpty ? "" : introduction + VisibleText.quoted(self, limit: 200)
    }
}
