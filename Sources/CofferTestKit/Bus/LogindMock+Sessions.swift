/// The session properties that a fingerprint check reads.
extension LogindMock {
    /// Sets the session to which logind counts every process; nil for none, as with processes of a user's service manager.
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

    /// Takes a session away from its seat, like a remote desktop's session.
    public func unseat(session: String) throws {
        try call(
            Self.path(of: session), "org.freedesktop.DBus.Properties", "Set",
            ["ssv", Self.session, "Seat", "(so)", "", "/"])
    }

    /// Adds the property for the lid, which the mock does not have at first.
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
