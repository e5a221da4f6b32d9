import Coffer
import FoundationEssentials
import Glibc
import Platform

/// Which file a suite is, and who may have written it.
enum SettingsLocation: Sendable {
    /// The user's own.
    case user(folder: String?)
    /// Shared by the members of a group.
    case group(String, folder: String?)

    /// Where root makes the folders of groups.
    static let groups = "/var/lib/coffer-settings"

    /// nil for the user's own.
    var sharingGroup: String? { if case .group(let name, _) = self { name } else { nil } }

    /// The folder's path. It is the caller's own, or absolute.
    /// - Throws: ``SettingsError/Code/unavailable`` if the user has no home folder.
    func folder() throws(SettingsError) -> String {
        switch self {
        case .user(let folder?), .group(_, let folder?):
            guard folder.hasPrefix("/") else {
                throw SettingsError(.invalidName, "the folder of the settings is no absolute path")
            }
            return folder
        case .group(let name, nil):
            try SuiteName.check(name, "group")
            return "\(Self.groups)/\(name)"
        case .user(nil): return try Self.configuration() + "/coffer/settings"
        }
    }

    /// By the XDG Base Directory Specification, which has relative paths ignored.
    private static func configuration() throws(SettingsError) -> String {
        let environment = ProcessInfo.processInfo.environment
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw SettingsError(
                .unavailable, "neither HOME nor XDG_CONFIG_HOME names a folder", advice: "set one of them")
        }
        return home + "/.config"
    }

    /// What files and the folder must look like.
    func ownership() throws(SettingsError) -> SettingsOwnership {
        switch self {
        case .user: return SettingsOwnership(uid: OwnProcess.effectiveUser, gid: nil)
        case .group(let name, _):
            let group: Group?
            do throws(SystemError) { group = try Group.named(name) } catch { throw SettingsError(error) }
            guard let group else { throw SettingsError(.invalidName, "there is no group \(name)") }
            return SettingsOwnership(uid: OwnProcess.effectiveUser, gid: group.gid)
        }
    }
}

/// Whose the file and its folder must be.
struct SettingsOwnership: Sendable {
    let uid: UInt32
    /// The group that shares the settings; nil for the user alone.
    let gid: UInt32?

    var fileMode: UInt32 { gid == nil ? 0o600 : 0o660 }

    /// - Throws: ``SettingsError/Code/notTrusted``.
    func check(folder: FileStatus, _ path: String) throws(SettingsError) {
        guard let gid else {
            guard folder.uid == uid else { throw .foreign(path, folder.uid, advice: "move it away") }
            guard folder.mode & 0o077 == 0 else {
                throw SettingsError(
                    .notTrusted, "others can enter \(path)", advice: "run: chmod 700 \(ShellWord.quoted(path))")
            }
            return
        }
        let advice = "as root, make it a folder of root and the group with mode 2770"
        guard folder.uid == 0 || folder.uid == uid else { throw .foreign(path, folder.uid, advice: advice) }
        guard folder.gid == gid, folder.mode & 0o2000 != 0 else {
            throw SettingsError(.notTrusted, "\(path) does not give its files to the group", advice: advice)
        }
        guard folder.mode & 0o007 == 0 else {
            throw SettingsError(.notTrusted, "others can enter \(path)", advice: advice)
        }
    }

    /// - Throws: ``SettingsError/Code/notTrusted``.
    func check(file: FileStatus, _ path: String) throws(SettingsError) {
        guard file.isRegular else {
            throw SettingsError(.notTrusted, "\(path) is no regular file", advice: "move it away")
        }
        // A file that was replaced since it was opened has no name at all.
        guard file.links <= 1 else {
            throw SettingsError(.notTrusted, "\(path) has another name, too", advice: "copy it to a file of its own")
        }
        if let gid {
            guard file.gid == gid, file.mode & 0o007 == 0 else {
                throw SettingsError(
                    .notTrusted, "\(path) is not the group's alone", advice: "run: chmod o= \(ShellWord.quoted(path))")
            }
        } else {
            guard file.uid == uid else { throw .foreign(path, file.uid, advice: "move it away") }
            guard file.mode & 0o022 == 0 else {
                throw SettingsError(
                    .notTrusted, "others can write \(path)", advice: "run: chmod 600 \(ShellWord.quoted(path))")
            }
        }
    }
}

enum SuiteName {
    /// Only characters that no path and no shell gives a meaning. A leading dot is for files of Coffer's own.
    static func check(_ name: String, _ kind: String) throws(SettingsError) {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isPlain, !name.isEmpty, !name.hasPrefix("."), !name.hasPrefix("-"),
            name.utf8.count <= SettingsLimits.suite
        else {
            throw SettingsError(
                .invalidName, "the \(kind)'s name cannot be used for settings",
                advice: "use 1 to \(SettingsLimits.suite) letters, digits, dots, dashes and underscores, and begin "
                    + "with a letter, a digit or an underscore")
        }
    }
}

extension SettingsError {
    init(_ error: SystemError) {
        let (code, advice): (Code, String) =
            switch error.errno {
            // The kernel's answers to a link where none is followed.
            case ELOOP, ENOTDIR: (.notTrusted, "move away what is in its place")
            case ENOSPC, EDQUOT: (.unavailable, "free some space on the disk")
            default: (.unavailable, error.advice)
            }
        self.init(code, error.message, advice: advice, cause: error.underlying)
    }

    static func foreign(_ path: String, _ uid: UInt32, advice: String) -> SettingsError {
        SettingsError(.notTrusted, "\(path) belongs to the user with number \(uid)", advice: advice)
    }
}
