import Authorization
import Circle
import Coffer
import FoundationEssentials
import Glibc
import Platform

/// Root's invitations on this machine: a folder that nobody else can write, with a file for each.
struct InvitationFolder {
    static let installed = "/var/lib/coffer-invitations"
    /// The variable that names another one, for a sandbox.
    static let variable = "COFFER_INVITATIONS"

    private let path: String

    init(_ session: CommandSession) { self.init(path: session.variable(Self.variable) ?? Self.installed) }

    init(path: String) { self.path = path }

    /// Those of a circle, by their names.
    func all(of circle: StatementName) throws(KeychainError) -> [(name: String, invitation: IssuedInvitation)] {
        guard try exists() else { return [] }
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: path) } catch { throw unusable("\(error)") }
        var found: [(name: String, invitation: IssuedInvitation)] = []
        for name in names.sorted() where Self.isName(name) {
            guard let invitation = try read(name), invitation.circle == Hex.encode(circle.bytes) else { continue }
            found.append((name, invitation))
        }
        return found
    }

    /// Keeps a new one.
    func add(_ invitation: IssuedInvitation, as name: String) throws(KeychainError) {
        if try !exists() {
            do {
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            } catch { throw unusable("\(error)") }
            // Somebody else may have made it meanwhile.
            _ = try exists()
        }
        do throws(SystemError) { try DurableFile.create(Self.encoded(invitation), at: file(name), mode: 0o600) } catch {
            throw unusable(error.description)
        }
    }

    /// Notes that a machine comes in, before it does. So no crash lets one more in.
    /// - Returns: nil if it may not.
    func admit(
        _ guest: IssuedInvitation.Guest, by name: String, now: Int64
    ) throws(KeychainError) -> IssuedInvitation? {
        let held = try lock()
        defer { withExtendedLifetime(held) {} }
        do throws(SystemError) {
            guard var invitation = try readable(name), invitation.admits(guest.device, at: now) else { return nil }
            guard !invitation.guests.contains(where: { $0.device == guest.device }) else { return invitation }
            invitation.guests.append(guest)
            try DurableFile.write(Self.encoded(invitation), to: file(name), mode: 0o600)
            return invitation
        } catch { throw unusable(error.description) }
    }

    /// Ends one. Who came in by it stays.
    func end(_ name: String) throws(KeychainError) {
        let unknown = KeychainError(
            .notFound, "this machine has made no such invitation", advice: "see them with: coffer sync invite --list")
        guard Self.isName(name), try exists() else { throw unknown }
        let held = try lock()
        defer { withExtendedLifetime(held) {} }
        guard try read(name) != nil else { throw unknown }
        try remove(name)
    }

    /// Ends those by which one of these devices came. It has the invitation still, and could come back as another device.
    /// - Returns: the names of those that it has ended, and of those that are still open.
    private func end(ofGuests devices: [String], in circle: StatementName, now: Int64) throws(KeychainError)
        -> (ended: [String], open: [String])
    {
        guard try exists() else { return ([], []) }
        let held = try lock()
        defer { withExtendedLifetime(held) {} }
        let all = try all(of: circle).filter { now < $0.invitation.until }
        let ended = all.filter { one in one.invitation.guests.contains { devices.contains($0.device) } }.map(\.name)
        for name in ended { try remove(name) }
        return (ended, all.filter { $0.invitation.isOpen(at: now) && !ended.contains($0.name) }.map(\.name))
    }

    /// Ends those by which machines came that were removed since, here or on another machine. One that left by itself ends
    /// none, because it could have stayed.
    func endThoseOfRemoved(_ session: CommandSession, in circle: StatementName) throws(KeychainError)
        -> (ended: [String], open: [String])
    {
        let former = try Sharing.state(session, noPrompt: true).former
        return try end(
            ofGuests: former.filter { $0.left != true }.map(\.device), in: circle,
            now: Int64(Date().timeIntervalSince1970 * 1000))
    }

    /// Whether it is there, and nobody else can write in it.
    private func exists() throws(KeychainError) -> Bool {
        do throws(SystemError) {
            guard let status = try FileStatus.of(path) else { return false }
            guard status.isFolder, status.uid == geteuid(), status.mode & 0o022 == 0 else {
                throw SystemError("use \(path)", reason: "it must be a folder that only you can write")
            }
            return true
        } catch { throw unusable(error.description) }
    }

    /// While it is held, nobody else changes or removes a file. Otherwise one who lets a machine in could write an
    /// invitation anew that was ended meanwhile.
    private func lock() throws(KeychainError) -> FileLock {
        do throws(SystemError) { return try FileLock(path: path + "/lock") } catch {
            throw unusable(error.description)
        }
    }

    private func remove(_ name: String) throws(KeychainError) {
        do throws(SystemError) { try FileRemoval.remove(file(name)) } catch { throw unusable(error.description) }
    }

    private func read(_ name: String) throws(KeychainError) -> IssuedInvitation? {
        do throws(SystemError) { return try readable(name) } catch { throw unusable(error.description) }
    }

    private func readable(_ name: String) throws(SystemError) -> IssuedInvitation? {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try DurableFile.read(file(name), limit: InvitationLimits.file) } catch {
            if error.errno == ENOENT { return nil }
            throw error
        }
        do { return try JSONDecoder().decode(IssuedInvitation.self, from: Data(bytes)) } catch {
            throw SystemError("use \(file(name))", reason: "it is not as coffer sync invite writes it")
        }
    }

    private static func encoded(_ invitation: IssuedInvitation) throws(SystemError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        do { return Array(try encoder.encode(invitation)) + [UInt8(ascii: "\n")] } catch {
            throw SystemError("write an invitation", reason: "\(error)")
        }
    }

    private func file(_ name: String) -> String { "\(path)/\(name)" }

    private func unusable(_ reason: String) -> KeychainError {
        KeychainError(
            .failed, "this machine's invitations cannot be used: \(reason)",
            advice:
                "only root may own and write \(path); a damaged file in it can be removed, which ends its invitation")
    }

    /// Its place, as files have it.
    static func name(of key: InvitationKey) throws(KeychainError) -> String {
        do { return String(Hex.encode(try key.place.bytes).prefix(InvitationLimits.name)) } catch {
            throw KeychainError(.failed, "an invitation has no name: \(error)", advice: "free some memory")
        }
    }

    private static func isName(_ name: String) -> Bool {
        name.utf8.count == InvitationLimits.name && Hex.decode(name) != nil
    }
}
