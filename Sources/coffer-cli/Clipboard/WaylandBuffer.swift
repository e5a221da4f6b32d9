import Coffer
import Glibc
import Platform

/// Where wl-copy keeps what it copies. It writes its input into a file first, and no disk may get that file.
enum WaylandBuffer: Equatable {
    /// wl-copy 2.3 and later put the file into the folder that TMPDIR names. This one is in memory.
    case folder(String)
    /// The machine's `/tmp` is in memory.
    case temporary
    /// An older wl-copy gets a mount namespace whose `/tmp` is in memory and ends with it.
    case ownTemporary

    private static let mounting = "mount -t tmpfs -o mode=0700,nosuid,nodev tmpfs /tmp"

    /// - Parameter consequence: what does not happen without one: "nothing was read".
    static func find(
        variable: (String) -> String?, programs: ProgramSearch, orElse consequence: String
    ) throws(KeychainError) -> WaylandBuffer {
        if isNew(programs) {
            let folders = [variable("XDG_RUNTIME_DIR"), "/dev/shm"].compactMap { $0 }.filter { $0.hasPrefix("/") }
            if let folder = folders.first(where: MemoryFolder.isInMemory) { return .folder(folder) }
        }
        if MemoryFolder.isInMemory("/tmp") { return .temporary }
        guard status(of: namespace(["/bin/sh", "-c", mounting]), programs) == 0 else {
            throw KeychainError(
                .failed, "wl-copy would write the secret to the disk, below /tmp, so \(consequence)",
                advice: "install wl-clipboard 2.3 or later, or have /tmp in memory (tmpfs)")
        }
        return .ownTemporary
    }

    /// The words that start wl-copy. It must not guess the kind of the text: a key or a password may look like a picture.
    func words(_ path: String) -> [String] {
        let copying = [path, "--type", "text/plain"]
        return switch self {
        // The hint asks clipboard managers to keep no copy.
        case .folder: copying + ["--sensitive"]
        case .temporary: copying
        case .ownTemporary: Self.namespace(["/bin/sh", "-c", Self.mounting + " && exec \"$0\" \"$@\""] + copying)
        }
    }

    /// nil: that of this process.
    var environment: [String: String]? {
        guard case .folder(let folder) = self else { return nil }
        return OwnProcess.environment.merging(["TMPDIR": folder]) { $1 }
    }

    private static func namespace(_ words: [String]) -> [String] {
        ["unshare", "--user", "--map-root-user", "--mount", "--"] + words
    }

    /// Whether wl-copy is of 2.3 or later. One that does not say counts as older.
    private static func isNew(_ programs: ProgramSearch) -> Bool {
        guard let path = programs.path(of: "wl-copy") else { return false }
        do {
            let process = try Subprocess(path, ["--version"]) {
                $0.directory = "/"
                $0.output = .pipe
            }
            var text: [UInt8] = []
            while text.count < 4096 {
                let more = try process.read(limit: 4096 - text.count)
                if more.isEmpty { break }
                text += more
            }
            process.closeOutput()
            guard try process.wait(until: nil) == 0 else { return false }
            return isNew(version: String(decoding: text, as: UTF8.self))
        } catch {
            // Without an answer, the careful way is taken.
            return false
        }
    }

    /// - Parameter text: `wl-clipboard 2.3.0`, and further lines.
    static func isNew(version text: String) -> Bool {
        guard let match = text.prefixMatch(of: /wl-clipboard v?([0-9]{1,4})\.([0-9]{1,4})/), let major = Int(match.1),
            let minor = Int(match.2)
        else { return false }
        return (major, minor) >= (2, 3)
    }

    /// nil if it cannot be run.
    private static func status(of words: [String], _ programs: ProgramSearch) -> Int32? {
        guard let path = programs.path(of: words[0]) else { return nil }
        do {
            return try Subprocess(path, Array(words.dropFirst())) { $0.directory = "/" }.wait(until: nil)
        } catch {
            return nil
        }
    }
}
