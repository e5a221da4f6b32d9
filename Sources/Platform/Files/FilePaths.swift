import Glibc

/// Paths as text.
public enum FilePaths {
    /// The last name of a path.
    public static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The same path from the root on.
    public static func absolute(_ path: String) -> String {
        guard !path.utf8.starts(with: "/".utf8), let folder = unsafe text(getcwd(nil, 0)) else { return path }
        return "\(folder)/\(path)"
    }

    /// Where a path leads when all links are followed; the path itself if that cannot be found out.
    public static func resolved(_ path: String) -> String { unsafe text(realpath(path, nil)) ?? path }

    /// Takes over a string that C has allocated.
    private static func text(_ string: UnsafeMutablePointer<CChar>?) -> String? {
        defer { unsafe free(string) }
        return unsafe string.map { unsafe String(cString: $0) }
    }
}
