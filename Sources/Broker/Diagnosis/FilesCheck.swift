import Authorization
import BrokerProtocol
import Platform
import RootConfiguration
import Vault

/// Can others than the broker and the authenticator reach their files? Is there room for more? And does each vault have
/// its record in the registry, and each record its vault? Without both parts, nothing opens it.
enum FilesCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        let configuration = facts.configuration
        let registry = Registry(directory: configuration.registryDirectory, authenticatorUID: facts.authenticatorUID)
        var places = [
            Place(configuration.vaultDirectory, .folder, facts.brokerUID, closed: 0o077),
            Place(
                configuration.registryDirectory, .folder, facts.authenticatorUID, closed: 0o022,
                exposure: .written("compare its records with a backup")),
        ]
        if facts.record != nil {
            let (broker, authenticator) = (facts.brokerUID, facts.authenticatorUID)
            places += [
                // The gaps name a part that is missing.
                Place(
                    VaultFile.path(of: facts.owner, in: configuration.vaultDirectory), .file, broker, closed: 0o077,
                    mayBeMissing: true),
                Place(
                    registry.path(of: facts.owner), .file, authenticator, closed: 0o022, mayBeMissing: true,
                    exposure: .written("compare it with a backup")),
                Place(
                    "\(configuration.registryDirectory)/signing-key.pem", .file, authenticator, closed: 0o077,
                    exposure: .read(
                        "renew the key: coffer rotate --signing-key; then each owner runs: coffer rotate --all")),
                Place(
                    "\(configuration.registryDirectory)/former-keys", .folder, authenticator, closed: 0o077,
                    mayBeMissing: true,
                    exposure: .read("each owner whose vault needs a former key runs: coffer rotate --all")),
            ]
        }
        let problems =
            places.compactMap { problem(of: $0, facts) } + room(configuration.vaultDirectory)
            + registryRoom(configuration) + gaps(facts)
        return problems.isEmpty
            ? [Keychain.Finding(.files, .ok, "vault, registry and signing key have the right owners and modes")]
            : problems.map { Keychain.Finding(.files, .problem, $0.message, advice: $0.advice) }
    }

    private static func problem(of place: Place, _ facts: DiagnosisFacts) -> (message: String, advice: String)? {
        guard let found = place.problem() else { return nil }
        return isMissing(place.path) ? (found.message, saving(facts, found.advice)) : found
    }

    /// An open vault goes on without a part of it, and does not open again once it is locked.
    private static func saving(_ facts: DiagnosisFacts, _ advice: String) -> String {
        facts.isUnlocked ? "\(RescueWords.saveOpen); then \(advice)" : advice
    }

    /// The parts that are missing. Another user's vault is not this user's business, but root should hear of it.
    private static func gaps(_ facts: DiagnosisFacts) -> [(message: String, advice: String)] {
        // A folder that is missing has been named, and explains what is missing in it.
        let folders = [facts.configuration.vaultDirectory, facts.configuration.registryDirectory]
        let missing = folders.filter { isMissing($0) }
        let gaps = facts.inventory?.gaps ?? []
        let told = gaps.filter { gap in gap.folder.map { !missing.contains($0) } ?? true }
        let shown = told.filter { facts.isRoots || $0.owner == facts.owner }
        let others = told.count - shown.count
        let what = others == 1 ? "another vault" : "\(others) other vaults"
        var found: [(message: String, advice: String)] = shown.map { gap in
            (gap.message, gap.owner == facts.owner ? saving(facts, gap.advice) : gap.advice)
        }
        found += replaced(facts, gaps)
        if others > 0 {
            found.append(
                ("a part of \(what) of this machine is missing or cannot be used", "ask root to run: coffer doctor"))
        }
        return found
    }

    private static func isMissing(_ path: String) -> Bool {
        // What cannot be examined is reported as it is.
        do throws(SystemError) { return try FileStatus.of(path) == nil } catch { return false }
    }

    /// A file that is not the one that the broker has open. No part is missing, so only the open vault tells.
    private static func replaced(
        _ facts: DiagnosisFacts, _ gaps: [VaultInventory.Gap]
    ) -> [(message: String, advice: String)] {
        guard case .failure(let fault) = facts.vault, fault.details.kind == Keychain.missing,
            !gaps.contains(where: { $0.owner == facts.owner || $0.owner == nil })
        else { return [] }
        let words = fault.details.message ?? "a part of the vault is missing"
        return [(words, fault.details.advice ?? "see: journalctl -u cofferd")]
    }

    /// Whether there is room for more records, if the registry has a file system of its own. Whether it can be written
    /// is not looked at: in the broker's unit, nothing of it can be.
    private static func registryRoom(_ configuration: Configuration) -> [(message: String, advice: String)] {
        let (registry, vaults) = (configuration.registryDirectory, configuration.vaultDirectory)
        do throws(SystemError) {
            guard try FileStatus.of(registry)?.device != FileStatus.of(vaults)?.device else { return [] }
            return registryObstacles(try FileSystemRoom.of(registry), registry)
        } catch {
            // A folder that is missing has been reported.
            return []
        }
    }

    static func registryObstacles(_ room: FileSystemRoom, _ path: String) -> [(message: String, advice: String)] {
        guard room.free < DiagnosisLimits.room else { return [] }
        let words = room.free < 1 ? "is full: no vault can be" : "is nearly full: soon no vault can be"
        return [
            ("the file system of \(path) \(words) made, renewed or changed in its keys", "make room on it: df \(path)")
        ]
    }

    /// Whether the vaults can be written.
    private static func room(_ path: String) -> [(message: String, advice: String)] {
        let room: FileSystemRoom
        // A folder that is missing has been reported.
        do throws(SystemError) { room = try FileSystemRoom.of(path) } catch { return [] }
        return obstacles(room, path)
    }

    static func obstacles(_ room: FileSystemRoom, _ path: String) -> [(message: String, advice: String)] {
        if room.isReadOnly {
            return [
                (
                    "\(path) is on a file system that can only be read, so no vault opens and nothing is stored",
                    "find out why: dmesg; then mount it writable"
                )
            ]
        }
        guard room.free < DiagnosisLimits.room else { return [] }
        let words =
            room.free == 0
            ? "is full: Coffer can store nothing and record no read"
            : "is nearly full (\(room.free >> 10) KiB are free): soon Coffer can store nothing and record no read"
        return [("the file system of \(path) \(words)", "make room on it: df \(path)")]
    }
}

/// A file, folder or socket that must belong to one account and be closed to others.
struct Place {
    enum Kind { case folder, file, socket }

    /// What is to be done about what others could do while it was open to them. Closing it undoes none of that.
    enum Exposure {
        /// Comes before it is closed: what others wrote would be trusted then.
        case written(String)
        /// Comes after it is closed.
        case read(String)
        case harmless

        func advice(closing command: String) -> String {
            switch self {
            case .written(let first): "find out who could write it, and \(first); then: \(command)"
            case .read(let then): "find out who could read it; then: \(command); then \(then)"
            case .harmless: command
            }
        }
    }

    let path: String
    let kind: Kind
    let uid: UInt32
    /// Permission bits that must not be set.
    let closed: UInt32
    let mayBeMissing: Bool
    let exposure: Exposure

    init(
        _ path: String, _ kind: Kind, _ uid: UInt32, closed: UInt32, mayBeMissing: Bool = false,
        exposure: Exposure = .harmless
    ) {
        self.mayBeMissing = mayBeMissing
        self.exposure = exposure
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
            if mayBeMissing { return nil }
            // Nothing makes a vault, a record or a key anew as it was.
            let advice =
                switch kind {
                case .socket: "start Coffer's socket units"
                case .folder: "\(RescueWords.mountFirst(path)); otherwise restore it from a backup"
                case .file: "restore it from a backup"
                }
            return ("\(path) is missing", advice)
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
            // Its owner may have changed it. Giving it away would make Coffer trust that.
            var advice = "find out who made it; if it was you, restoring a backup: chown \(uid) \(path)"
            // That account could read it until now.
            if case .read(let then) = exposure { advice += "; then \(then)" }
            return ("\(path) belongs to uid \(status.uid) instead of \(uid)", advice)
        }
        guard status.mode & closed == 0 else {
            let mode = String(status.mode & ~closed, radix: 8)
            return (
                "\(path) is open to others (mode \(String(status.mode, radix: 8)))",
                exposure.advice(closing: "chmod \(mode) \(path)")
            )
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
