import Authorization
import BrokerProtocol
import Platform

/// The caller, as the kernel named it when the connection was made. Nothing that is sent over the connection changes
/// it.
struct Caller: Hashable, Sendable {
    let uid: UInt32
    let process: ProcessIdentity
    /// Tells connections of one process apart.
    let connection: UInt64
    /// For the log only. No decision depends on it, because the process chooses it itself.
    var traits = ProcessTraits()

    /// The owner of the vault that a call means if it names none.
    var owner: Owner { .user(uid) }
}

/// The process that made a connection, as the kernel names it (unix(7), SO_PEERCRED, and SO_PEERPIDFD if the kernel
/// has it).
struct Peer: Sendable, Equatable {
    let uid: UInt32
    let process: ProcessIdentity
    let traits: ProcessTraits

    /// - Parameters:
    ///   - socket: the server's end of the connection.
    ///   - handleOption: the number of `SO_PEERPIDFD`. Any other number acts like a kernel without this option.
    /// - Throws: `SystemError` if the kernel cannot name the user, or the process is gone.
    init(ofSocket socket: Int32, handleOption: Int32 = PeerHandle.option) throws(SystemError) {
        let credentials = try PeerCredentials(ofSocket: socket)
        uid = credentials.uid
        let held = try credentials.hold(ofSocket: socket, option: handleOption)
        process = held.identity
        traits = ProcessTraits(held)
    }
}

/// What a process is called and where it runs, when it connected. It chooses both itself.
struct ProcessTraits: Hashable, Sendable {
    /// nil if it is not known.
    private(set) var name: String?
    /// Its control group, cut at `LogLimits.group` Unicode scalars; nil if it has none or it is not known.
    private(set) var controlGroup: String?

    init() {}

    init(_ held: borrowing HeldProcess) {
        name = held.command
        // `try?`: without it, the log names the process by its number and name.
        guard let group = try? ProcessStat.controlGroup(pid: held.identity.pid) else { return }
        // What was read may be another process's if this one has ended.
        do throws(SystemError) { try held.check() } catch { return }
        controlGroup = String(group.unicodeScalars.prefix(LogLimits.group))
    }
}

/// Why a caller may use a vault.
enum Standing: Sendable {
    /// It is the caller's own vault.
    case own
    /// It is a group's vault, and the name service says that the caller is a member now.
    case member
    /// The caller is root, and it is the vault of an account for which nobody can be prompted.
    case root
}

/// The vault of one call, and the right to use it. It is made anew for each call, because group membership can change
/// at any time.
struct Admission: Sendable {
    let owner: Owner
    let standing: Standing
    /// The name of the group or account in the call; nil for the caller's own vault.
    let name: String?

    /// How the call chose the vault.
    var choice: Keychain.VaultChoice {
        switch standing {
        case .own: Keychain.VaultChoice()
        case .member: Keychain.VaultChoice(group: name)
        case .root: Keychain.VaultChoice(user: name)
        }
    }

    /// Whether the caller is a service's own account, so that there is nobody to ask. Only root opens its vault.
    func asksNobody(for record: RegistryRecord) -> Bool { standing == .own && record.isService }

    /// The user whose idle time the call restarts: the vault's own user if it has one, otherwise the caller.
    func idleUser(_ caller: Caller) -> UInt32 {
        if case .user(let uid) = owner { uid } else { caller.uid }
    }
}
