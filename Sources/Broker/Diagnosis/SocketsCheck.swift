import BrokerProtocol
import Platform

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
