import Authorization
import BrokerProtocol
import Platform
import Vault

/// Can others than the broker and the authenticator reach their files?
enum FilesCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        let configuration = facts.configuration
        let registry = Registry(directory: configuration.registryDirectory, authenticatorUID: facts.authenticatorUID)
        var places = [
            Place(configuration.vaultDirectory, .folder, facts.brokerUID, closed: 0o077),
            Place(configuration.registryDirectory, .folder, facts.authenticatorUID, closed: 0o022),
        ]
        if facts.record != nil {
            let (broker, authenticator) = (facts.brokerUID, facts.authenticatorUID)
            places += [
                Place(VaultFile.path(of: facts.owner, in: configuration.vaultDirectory), .file, broker, closed: 0o077),
                Place(registry.path(of: facts.owner), .file, authenticator, closed: 0o022),
                Place("\(configuration.registryDirectory)/signing-key.pem", .file, authenticator, closed: 0o077),
            ]
        }
        let problems = places.compactMap { $0.problem() }
        return problems.isEmpty
            ? [Keychain.Finding(.files, .ok, "vault, registry and signing key have the right owners and modes")]
            : problems.map { Keychain.Finding(.files, .problem, $0.message, advice: $0.advice) }
    }
}

/// A file, folder or socket that must belong to one account and be closed to others.
struct Place {
    enum Kind { case folder, file, socket }

    let path: String
    let kind: Kind
    let uid: UInt32
    /// Permission bits that must not be set.
    let closed: UInt32

    init(_ path: String, _ kind: Kind, _ uid: UInt32, closed: UInt32) {
        self.path = path
        self.kind = kind
        self.uid = uid
        self.closed = closed
    }

    /// - Returns: nil if there is no problem.
    func problem() -> (message: String, advice: String)? {
        let status: FileStatus?
        do throws(SystemError) { status = try FileStatus.of(path) } catch {
            return ("\(path) cannot be examined: \(error.reason)", "make sure that the broker can enter its folder")
        }
        guard let status else {
            // Nothing makes a vault, a record or a key anew as it was.
            return ("\(path) is missing", kind == .socket ? "start Coffer's units again" : "restore it from a backup")
        }
        let isKind =
            switch kind {
            case .folder: status.isFolder
            case .file: status.isRegular
            case .socket: status.isSocket
            }
        guard isKind else {
            let name =
                switch kind {
                case .folder: "folder"
                case .file: "file"
                case .socket: "socket"
                }
            return ("\(path) is not a \(name)", "find out who put it there")
        }
        guard status.uid == uid else {
            return ("\(path) belongs to uid \(status.uid) instead of \(uid)", "chown \(uid) \(path)")
        }
        guard status.mode & closed == 0 else {
            let mode = String(status.mode & ~closed, radix: 8)
            return ("\(path) is open to others (mode \(String(status.mode, radix: 8)))", "chmod \(mode) \(path)")
        }
        return nil
    }
}

/// Could another program impersonate the broker or the authenticator, or listen on a socket of theirs?
enum SocketsCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        let configuration = facts.configuration
        var problems: [(message: String, advice: String)] = []
        // Everybody may use the clients' sockets. Their folder must be safe.
        let folders = [(configuration.socket, facts.brokerUID), (configuration.authSocket, facts.authenticatorUID)]
        for (socket, uid) in folders {
            let folder = String(socket[..<(socket.lastIndex(of: "/") ?? socket.startIndex)])
            if let problem = Self.folder(folder, uid) { problems.append(problem) }
        }
        // Only this socket is checked: the broker makes it itself, while sockets that systemd makes belong to root.
        problems += [Place(configuration.authenticatorSocket, .socket, facts.brokerUID, closed: 0)].compactMap {
            $0.problem()
        }
        let report = configuration.reportSocket
        // `try?`: the socket exists only if logins are reported.
        if let status = try? FileStatus.of(report), status.mode & 0o077 != 0 || status.uid != facts.authenticatorUID {
            problems.append(
                ("\(report) does not belong to the authenticator alone", "install Coffer's socket units again"))
        }
        return problems.isEmpty
            ? [Keychain.Finding(.sockets, .ok, "the sockets have the right owners and modes")]
            : problems.map { Keychain.Finding(.sockets, .problem, $0.message, advice: $0.advice) }
    }

    /// Checks that a folder belongs to `uid` or to root, and that nobody else can replace a socket in it.
    private static func folder(_ path: String, _ uid: UInt32) -> (message: String, advice: String)? {
        let status: FileStatus?
        do throws(SystemError) { status = try FileStatus.of(path) } catch {
            return ("\(path) cannot be examined: \(error.reason)", "make sure that the broker can enter it")
        }
        guard let status else { return ("\(path) is missing", "start Coffer's socket units") }
        // In a sticky folder, a file can be replaced only by its owner.
        guard status.uid == uid || status.uid == 0, status.mode & 0o022 == 0 || status.mode & 0o1000 != 0 else {
            return ("other users can put their own sockets into \(path)", "install Coffer's tmpfiles again")
        }
        return nil
    }
}
