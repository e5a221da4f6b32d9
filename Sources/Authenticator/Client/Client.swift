import Platform

/// The process at the other end of the connection, as the kernel names it, and what is known of its program.
struct Client: Sendable, Equatable {
    let account: Account
    let process: ProcessIdentity
    let program: RunningProgram
    /// The terminal's name as PAM modules and people know it (`pts/3`); nil without a terminal.
    let terminal: String?
    /// logind's number of the login session, taken from the control group; nil for a service's process.
    let loginSession: String?
    /// nil without a terminal, and if the session's leader has ended.
    let session: TerminalSession?

    /// - Throws: ``ConversationError`` if the kernel cannot name the user or process, or the name service does not know the account.
    init(ofSocket descriptor: Int32) throws(ConversationError) {
        do throws(SystemError) {
            let peer = try PeerCredentials(ofSocket: descriptor)
            guard let account = try Account.withUID(peer.uid) else {
                throw SystemError("find the account with uid \(peer.uid)", reason: "there is none")
            }
            let held = try peer.hold(ofSocket: descriptor)
            let stat = try ProcessStat(pid: peer.pid)
            self.account = account
            self.process = held.identity
            // The notice leaves out what cannot be read.
            let group = (try? ProcessStat.controlGroup(pid: peer.pid)) ?? nil
            self.loginSession = Self.loginSession(of: group ?? "", uid: peer.uid)
            self.session = TerminalSession(of: stat)
            self.terminal = Self.terminalName(stat.terminal)
            self.program = RunningProgram(of: peer.pid, command: stat.command)
            // All of this was read by process ID. This checks that the same process had that ID all the time.
            try held.check()
        } catch {
            throw .refused(.denied("the caller cannot be identified: \(error)"))
        }
    }

    /// Accepts only control groups that logind names. A user can name the groups below their own service manager.
    static func loginSession(of group: String, uid: UInt32) -> String? {
        let prefix = "/user.slice/user-\(uid).slice/session-"
        guard group.hasPrefix(prefix), group.hasSuffix(".scope") else { return nil }
        let number = group.dropFirst(prefix.count).dropLast(".scope".count)
        guard !number.isEmpty, number.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else { return nil }
        return String(number)
    }

    /// Names a terminal by its device number (makedev(3)), for pseudo-terminals and virtual consoles.
    static func terminalName(_ device: Int32) -> String? {
        let number = UInt32(bitPattern: device)
        let major = (number >> 8) & 0xFFF
        let minor = (number & 0xFF) | ((number >> 12) & 0xFFF00)
        switch major {
        case 136...143: return "pts/\((major - 136) * 256 + minor)"
        case 4 where minor < 64: return "tty\(minor)"
        case 4: return "ttyS\(minor - 64)"
        default: return nil
        }
    }
}

/// The terminal and session that a process runs in, as credentials(7) describes them.
struct TerminalSession: Sendable, Equatable {
    /// The terminal's device number.
    let terminal: Int32
    /// The process that began the session, mostly a shell. Its start time tells it from a later process with the same ID.
    let leader: ProcessIdentity

    /// - Returns: nil for a process without a terminal. Also nil if the session's leader has ended, because nothing then identifies the session.
    init?(of process: ProcessStat) {
        guard process.terminal != 0 else { return nil }
        // A leader that cannot be read has ended.
        guard let leader = try? ProcessIdentity(observing: process.session),
            let stat = try? ProcessStat(pid: process.session), stat.startTime == leader.startTime,
            stat.session == process.session, stat.terminal == process.terminal
        else { return nil }
        self.init(terminal: process.terminal, leader: leader)
    }

    init(terminal: Int32, leader: ProcessIdentity) {
        self.terminal = terminal
        self.leader = leader
    }
}
