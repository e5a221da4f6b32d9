import Foundation

/// A private message bus with a mocked logind, as a test wants it. Both end with this value.
public final class LogindMock: Sendable {
    public let folder: TemporaryFolder
    public let address: String
    private let daemon: BusProcess
    private let logind: BusProcess

    private static let name = "org.freedesktop.login1"
    static let path = "/org/freedesktop/login1"
    static let mock = "org.freedesktop.DBus.Mock"

    /// Returns when both are ready.
    /// - Parameter folder: an earlier bus's folder; this bus then has the same address.
    public init(folder: TemporaryFolder? = nil) throws {
        let folder = try folder ?? TemporaryFolder()
        let socket = folder.path + "/bus"
        let address = "unix:path=\(socket)"
        try? FileManager.default.removeItem(atPath: socket)  // It fails if there was no bus here before.
        try Self.settings(address).write(toFile: folder.path + "/bus.conf", atomically: true, encoding: .utf8)
        daemon = try BusProcess("/usr/bin/dbus-daemon", ["--config-file=\(folder.path)/bus.conf", "--nofork"])
        try BusProcess.await("the private bus") { FileManager.default.fileExists(atPath: socket) }
        // The distribution's Python has the dbusmock module.
        logind = try BusProcess(
            "/usr/bin/python3", ["-m", "dbusmock", "--system", "--template", "logind"],
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
        self.folder = folder
        self.address = address
        try BusProcess.await("the mocked logind") {
            try Tool.run(
                "busctl", ["--address=\(address)", "call", Self.name, Self.path, Self.manager, "ListSessions"]
            ).status == 0
        }
    }

    private static func settings(_ address: String, denied: String = "") -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <listen>\(address)</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow user="*"/><allow own="*"/><allow send_type="signal"/>
            <allow send_destination="*"/><allow receive_sender="*"/>
            \(denied)
          </policy>
        </busconfig>
        """
    }

    /// Refuses inhibitors to everybody from now on, or grants them again. Without polkit, logind refuses them.
    public func refuseInhibitors(_ refuses: Bool) throws {
        let denied = #"<deny send_interface="\#(Self.manager)" send_member="Inhibit"/>"#
        try Self.settings(address, denied: refuses ? denied : "").write(
            toFile: folder.path + "/bus.conf", atomically: true, encoding: .utf8)
        let daemon = "org.freedesktop.DBus"
        try Tool.output(
            "busctl", ["--address=\(address)", "call", daemon, "/org/freedesktop/DBus", daemon, "ReloadConfig"])
    }

    static let manager = "org.freedesktop.login1.Manager"
    static let session = "org.freedesktop.login1.Session"

    public static func path(of session: String) -> String { "\(path)/session/\(session)" }

    /// Ends the bus and logind.
    public func stop() throws {
        try logind.end()
        try daemon.end()
    }

    /// Adds a session without telling anybody, as if the broker started later.
    public func add(session: String, uid: UInt32) throws {
        try call(Self.path, Self.mock, "AddSession", ["ssusb", session, "seat0", "\(uid)", "user\(uid)", "true"])
    }

    /// Announces a session.
    public func announce(session: String) throws {
        try emit("SessionNew", ["so", "2", "s", session, "o", Self.path(of: session)])
    }

    public func remove(session: String) throws {
        try call(Self.path, Self.mock, "RemoveObject", ["s", Self.path(of: session)])
        try emit("SessionRemoved", ["so", "2", "s", session, "o", Self.path(of: session)])
    }

    /// Sets logind's type of a session, such as tty or wayland. Only later queries of the session show it.
    public func setType(_ type: String, session: String) throws {
        try call(
            Self.path(of: session), Self.mock, "UpdateProperties", ["sa{sv}", Self.session, "1", "Type", "s", type])
    }

    public func lock(session: String) throws { try call(Self.path(of: session), Self.session, "Lock", []) }

    public func unlock(session: String) throws { try call(Self.path(of: session), Self.session, "Unlock", []) }

    public func setLockedHint(_ isLocked: Bool, session: String) throws {
        try call(Self.path(of: session), Self.session, "SetLockedHint", ["b", "\(isLocked)"])
    }

    public func setIdleHint(_ isIdle: Bool, session: String) throws {
        try call(
            Self.path(of: session), Self.mock, "UpdateProperties",
            ["sa{sv}", Self.session, "1", "IdleHint", "b", "\(isIdle)"])
    }

    /// Sets logind's answer about an imminent sleep, without a signal to anybody.
    public func setPreparingForSleep(_ isPreparing: Bool) throws {
        try call(
            Self.path, Self.mock, "UpdateProperties",
            ["sa{sv}", Self.manager, "1", "PreparingForSleep", "b", "\(isPreparing)"])
    }

    public func prepareForSleep(_ begins: Bool) throws { try emit("PrepareForSleep", ["b", "1", "b", "\(begins)"]) }

    /// The present inhibitors of sleep on one line, with their number first.
    public func inhibitors() throws -> String {
        try call(Self.path, Self.manager, "ListInhibitors", [])
    }

    /// Sends a signal from another process of the bus to one connection.
    public func forge(to connection: String, path: String, interface: String, _ signal: [String]) throws {
        try Tool.output(
            "busctl", ["--address=\(address)", "--destination=\(connection)", "emit", path, interface] + signal)
    }

    /// Sends a signal from another process of the bus to everybody.
    public func forge(path: String, interface: String, _ signal: [String]) throws {
        try Tool.output("busctl", ["--address=\(address)", "emit", path, interface] + signal)
    }

    private func emit(_ signal: String, _ arguments: [String]) throws {
        // The signature, the number of values, and then the type and value of each.
        try call(
            Self.path, Self.mock, "EmitSignal", ["sssav", Self.manager, signal] + arguments)
    }

    @discardableResult
    func call(_ path: String, _ interface: String, _ member: String, _ arguments: [String]) throws -> String {
        try Tool.output("busctl", ["--address=\(address)", "call", Self.name, path, interface, member] + arguments)
    }
}

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
