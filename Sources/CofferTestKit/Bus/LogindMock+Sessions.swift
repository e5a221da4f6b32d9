/// Sessions as a fingerprint cares for them.
extension LogindMock {
    /// Which session logind counts every process to; nil for none, as with what a user's service manager runs.
    public func countProcesses(to session: String?) throws {
        let code =
            session.map { "ret = \"\(Self.path(of: $0))\"" }
                ?? """
                raise dbus.exceptions.DBusException("none", name="org.freedesktop.login1.NoSessionForPID")
                """
        try call(Self.path, Self.mock, "AddMethod", ["sssss", Self.manager, "GetSessionByPID", "u", "o", code])
    }

    public func setRemote(_ isRemote: Bool, session: String) throws {
        try update(session, ["1", "Remote", "b", "\(isRemote)"])
    }

    public func setActive(_ isActive: Bool, session: String) throws {
        try update(session, ["1", "Active", "b", "\(isActive)"])
    }

    public func setClass(_ name: String, session: String) throws { try update(session, ["1", "Class", "s", name]) }

    /// Takes a session away from its seat, as that of a remote desktop is.
    public func unseat(session: String) throws {
        try call(
            Self.path(of: session), "org.freedesktop.DBus.Properties", "Set",
            ["ssv", Self.session, "Seat", "(so)", "", "/"])
    }

    /// Every mock says something about the lid only when told.
    public func setLidClosed(_ isClosed: Bool) throws {
        try call(Self.path, Self.mock, "AddProperty", ["ssv", Self.manager, "LidClosed", "b", "\(isClosed)"])
    }

    public func changeLidClosed(_ isClosed: Bool) throws {
        try call(
            Self.path, Self.mock, "UpdateProperties",
            ["sa{sv}", Self.manager, "1", "LidClosed", "b", "\(isClosed)"])
    }

    private func update(_ session: String, _ properties: [String]) throws {
        try call(Self.path(of: session), Self.mock, "UpdateProperties", ["sa{sv}", Self.session] + properties)
    }
}
