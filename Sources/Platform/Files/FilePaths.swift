import Glibc

/// Paths as text.
public enum FilePaths {
    /// The last name of a path.
    public static func name(of path: String) -> String {
        path.unicodeScalars.split(separator: "/").last.map { String($0) } ?? path
    }

    /// The same path from the root on.
    public static func absolute(_ path: String) -> String {
        guard !path.utf8.starts(with: "/".utf8), let folder = unsafe text(getcwd(nil, 0)) else { return path }
        return "\(folder)/\(path)"
    }

    /// Where a path leads when all links are followed; the path itself if that cannot be found out.
    public static func resolved(_ path: String) -> String { unsafe text(realpath(path, nil)) ?? path }

    /// Where a path from the root on leads when all links are followed, as far as it exists. What is missing of it stays
    /// as it is. The kernel follows a link before it takes `..` for the folder above.
    public static func resolvedBeginning(of path: String) -> String {
        var names = path.unicodeScalars.split(separator: "/").map { String($0) }
        var missing: [String] = []
        while !names.isEmpty {
            if let found = unsafe text(realpath("/" + names.joined(separator: "/"), nil)) {
                guard !missing.isEmpty else { return found }
                return (found == "/" ? "" : found) + "/" + missing.reversed().joined(separator: "/")
            }
            let last = names.removeLast()
            if last != "." { missing.append(last) }
        }
        return "/" + missing.reversed().joined(separator: "/")
    }

    /// Takes over a string that C has allocated.
    private static func text(_ string: UnsafeMutablePointer<CChar>?) -> String? {
        defer { unsafe free(string) }
        return unsafe string.map { unsafe String(cString: $0) }
    }
}
