import Platform

/// Where libpam finds the modules that a line names without a folder. Distributions build that folder into it.
struct PAMModules: Sendable {
    let folders: [String]

    /// - Returns: the folders in which distributions have them.
    static func ofSystem() -> PAMModules {
        // Debian has a folder for each kind of processor.
        let libraries = ["/usr/lib", "/lib"].flatMap { place in
            // `try?`: a folder that cannot be read names no other.
            ((try? Folder.entries(place)) ?? []).filter { $0.contains("-linux-") }.map { "\(place)/\($0)" }
        }
        return PAMModules(
            folders: (["/usr/lib", "/usr/lib64", "/lib", "/lib64"] + libraries).map { "\($0)/security" })
    }

    /// Whether only the system's packages put modules into this folder, so that a module there is what its name says.
    static func isSystems(_ folder: String) -> Bool {
        var parts = folder.split(separator: "/").map(String.init)[...]
        guard folder.hasPrefix("/"), !parts.contains("..") else { return false }
        // libpam puts the kind of processor there.
        if parts.last == "$ISA" { parts.removeLast() }
        guard parts.popLast() == "security" else { return false }
        // Stores with a folder for each package, which only the package manager writes.
        if parts.starts(with: ["nix", "store"]) || parts.starts(with: ["gnu", "store"]) {
            return parts.count == 4 && parts.last == "lib"
        }
        if parts.first == "usr" { parts.removeFirst() }
        guard let library = parts.popFirst(), library == "lib" || library == "lib64" else { return false }
        return parts.count <= 1
    }

    /// Whether libpam finds nothing for this line. It then goes on as if the module had said so (`module_unknown`).
    ///
    /// - Returns: false as well if nobody knows where this system has its modules.
    func lacks(_ line: PAMLine) -> Bool {
        if line.path.hasPrefix("/") { return !line.path.contains("$") && !Self.isThere(line.path) }
        guard folders.contains(where: { Self.isThere("\($0)/pam_permit.so") }) else { return false }
        return !folders.contains { Self.isThere("\($0)/\(line.path)") }
    }

    private static func isThere(_ path: String) -> Bool {
        // What cannot be examined may be there.
        do throws(SystemError) { return try FileStatus.following(path) != nil } catch { return true }
    }
}
