import Coffer
import Glibc
import Platform

/// A directory of protected files, opened.
struct FileRoot: ~Copyable, Sendable {
    let folder: ConfinedFolder

    /// Opens the directory, and makes it if it is missing.
    static func making(_ place: DirectoryPlace) throws(KeychainError) -> FileRoot {
        try filing { () throws(SystemError) in
            for path in place.base { try Folder.make(path, mode: 0o700) }
        }
        return FileRoot(folder: try open(place, making: true))
    }

    /// - Returns: nil if there is no such directory.
    static func existing(_ place: DirectoryPlace) throws(KeychainError) -> FileRoot? {
        do throws(KeychainError) { return FileRoot(folder: try open(place, making: false)) } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    private init(folder: consuming ConfinedFolder) { self.folder = folder }

    private static func open(_ place: DirectoryPlace, making: Bool) throws(KeychainError) -> ConfinedFolder {
        var path = place.base[place.base.count - 1]
        var folder: ConfinedFolder
        do throws(SystemError) { folder = try ConfinedFolder(path: path) } catch { throw KeychainError(file: error) }
        if place.names.isEmpty { try checkOwner(folder, path) }
        for name in place.names {
            do throws(SystemError) { folder = try open(name, in: folder, making: making) } catch {
                throw KeychainError(file: error)
            }
            path += "/" + name
            try checkOwner(folder, path)
        }
        return folder
    }

    /// Opens a folder in another one.
    /// - Throws: `ENOENT` if it is missing, `ELOOP` for a link, `ENOTDIR` for a file.
    private static func open(
        _ name: String, in folder: borrowing ConfinedFolder, making: Bool
    ) throws(SystemError) -> ConfinedFolder {
        do throws(SystemError) { return try making ? folder.folderMakingIt(name) : folder.folder(name) } catch {
            guard error.errno == ENOTDIR else { throw error }
            // The kernel says the same of both. Below a file there is nothing, but a link is told, and so is what has
            // taken its place since: a sweep deletes the keys of what is not there.
            let kind = try folder.entry(name)?.kind
            guard kind == .file || kind == .other else { throw SystemError(error.operation, errno: ELOOP) }
            throw error
        }
    }

    /// Where others may write, they could take files and locks away.
    private static func checkOwner(_ folder: borrowing ConfinedFolder, _ path: String) throws(KeychainError) {
        let entry: FileEntry
        do throws(SystemError) { entry = try folder.entry() } catch { throw KeychainError(file: error) }
        guard entry.uid == geteuid(), entry.mode & 0o022 == 0 else {
            let shown = VisibleText.quoted(path, likePath: true)
            guard entry.uid == geteuid() else {
                throw KeychainError(
                    .notPermitted, "the directory \(shown) belongs to the user with number \(entry.uid)",
                    advice: "choose another directory")
            }
            throw KeychainError(
                .notPermitted, "others may write to the directory \(shown)",
                advice: "run: chmod go-w \(ShellWord.quoted(path))")
        }
    }

    /// Opens the folder in which a file is.
    /// - Parameter making: whether missing folders are made.
    func parent(of path: RelativePath, making: Bool = false) throws(SystemError) -> ConfinedFolder {
        try folder(path.folders, making: making)
    }

    /// Opens a folder below this directory.
    func folder(_ names: some Collection<String>, making: Bool = false) throws(SystemError) -> ConfinedFolder {
        var found = try folder.again()
        for name in names { found = try Self.open(name, in: found, making: making) }
        return found
    }

    /// What the beginning of the file at a path says; nil if nothing is there.
    static func beginning(
        of name: String, in parent: borrowing ConfinedFolder
    ) throws(SystemError) -> FileFormat.Beginning? {
        guard let entry = try parent.entry(name) else { return nil }
        guard entry.kind == .file else { return .foreign }
        return FileFormat.beginning(try parent.file(name).read(FileFormat.headerCount))
    }
}
