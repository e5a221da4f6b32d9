import Coffer
import FoundationEssentials
import Glibc
import Platform

/// Where an application's protected files are. The folders follow the XDG Base Directory Specification.
///
/// ```swift
/// let documents = ProtectedFiles(service: "com.example.notes", directory: .documents)
/// let exports = ProtectedFiles(service: "com.example.notes", directory: .custom("/srv/notes"))
/// ```
public enum ProtectedDirectory: Sendable, Hashable {
    /// What the person made: `$XDG_DATA_HOME/SERVICE/Documents`, usually in `~/.local/share`.
    case documents
    /// What the application needs to work: `$XDG_DATA_HOME/SERVICE/Support`.
    case support
    /// What can be fetched or computed again: `$XDG_CACHE_HOME/SERVICE`, usually in `~/.cache`.
    case caches
    /// What ends with the session: `$XDG_RUNTIME_DIR/SERVICE`. It is in memory on most systems, so keep it small. Without a
    /// session it is `coffer-UID/SERVICE` in `$TMPDIR` or `/tmp`.
    case temporary
    /// A folder of the application's choice, as an absolute path. Its parent must exist.
    case custom(String)

    /// What a file's key says of its directory.
    var kind: String {
        switch self {
        case .documents: "documents"
        case .support: "support"
        case .caches: "caches"
        case .temporary: "temporary"
        case .custom: "custom"
        }
    }
}

/// The way to a directory: a folder that the system vouches for, and names below it.
struct DirectoryPlace: Sendable {
    /// Folders that are made, one after the other, if they are missing. The last one is the base.
    let base: [String]
    /// Below the base. None of them may be a link.
    let names: [String]

    /// - Throws: `.invalidArgument` for a service that cannot be a folder's name, `.failed` without a home folder.
    init(_ directory: ProtectedDirectory, service: String, environment: [String: String]) throws(KeychainError) {
        if case .custom(let path) = directory {
            guard path.hasPrefix("/"), !path.utf8.contains(0) else {
                throw KeychainError(.invalidArgument, "the path of a directory begins with a slash")
            }
            base = [path]
            names = []
            return
        }
        guard !service.utf8.contains(where: { $0 == 0x2F || $0 == 0 }), service != ".", service != "..",
            (1...RelativePath.Limits.name).contains(service.utf8.count)
        else {
            throw KeychainError(
                .invalidArgument, "the service's name cannot name a folder",
                advice: "choose one without slashes, of at most 255 bytes, or give a custom directory")
        }
        switch directory {
        case .documents:
            (base, names) = (try Self.home("XDG_DATA_HOME", [".local", "share"], environment), [service, "Documents"])
        case .support:
            (base, names) = (try Self.home("XDG_DATA_HOME", [".local", "share"], environment), [service, "Support"])
        case .caches: (base, names) = (try Self.home("XDG_CACHE_HOME", [".cache"], environment), [service])
        case .temporary, .custom:
            if let folder = Self.absolute("XDG_RUNTIME_DIR", environment) {
                (base, names) = ([folder], [service])
            } else {
                (base, names) = ([Self.absolute("TMPDIR", environment) ?? "/tmp"], ["coffer-\(geteuid())", service])
            }
        }
    }

    /// The specification has programs ignore a path that is not absolute.
    private static func absolute(_ variable: String, _ environment: [String: String]) -> String? {
        environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    private static func home(
        _ variable: String, _ usual: [String], _ environment: [String: String]
    ) throws(KeychainError) -> [String] {
        if let folder = absolute(variable, environment) { return [folder] }
        guard var path = absolute("HOME", environment) else {
            throw KeychainError(
                .failed, "there is no home folder", advice: "set HOME or \(variable), or give a custom directory")
        }
        var folders: [String] = []
        for name in usual {
            path += "/" + name
            folders.append(path)
        }
        return folders
    }
}
