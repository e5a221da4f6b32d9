/// New accounts and a new group on this machine, made for a test and removed with this value. Needs root.
public final class ThrowAwayAccounts: Sendable {
    public let names: [String]
    public let uids: [UInt32]
    /// A group that has no members at first.
    public let group: String
    public let gid: UInt32

    public init(_ count: Int) throws {
        let stem = "cofg\(UInt32.random(in: 10_000...99_999))"
        let names = (0..<count).map { "\(stem)\($0)" }
        self.names = names
        group = "\(stem)g"
        uids = try names.map { name in
            try Tool.output("useradd", ["--no-create-home", "--user-group", name])
            return try Self.number(Tool.output("id", ["-u", name]))
        }
        try Tool.output("groupadd", [group])
        let entry = try Tool.output("getent", ["group", group])
        gid = try Self.number(String(entry.split(separator: ":")[2]))
    }

    public func join(_ index: Int) throws { try Tool.output("gpasswd", ["--add", names[index], group]) }

    public func leave(_ index: Int) throws { try Tool.output("gpasswd", ["--delete", names[index], group]) }

    /// Renames the group, as if its number had been given to another one.
    public func renameGroup(to name: String) throws { try Tool.output("groupmod", ["--new-name", name, group]) }

    private static func number(_ text: String) throws -> UInt32 {
        let digits = text.prefix { $0.isNumber }
        guard let number = UInt32(digits) else { throw Tool.Failure(description: "“\(text)” is no number") }
        return number
    }

    deinit {
        // A failure shows up in the next run. --force is needed because a process of the account may still be ending.
        for name in names { _ = try? Tool.run("userdel", ["--force", name]) }
        // A failure shows up in the next run. The group is found by number, because its name may have changed.
        let now = (try? Tool.output("getent", ["group", "\(gid)"]))?.split(separator: ":").first.map(String.init)
        // A failure shows up in the next run.
        _ = try? Tool.run("groupdel", [now ?? group])
    }
}
