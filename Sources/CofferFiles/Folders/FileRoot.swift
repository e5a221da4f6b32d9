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
            return FileRoot(folder: try open(place, making: true))
        }
    }

    /// - Returns: nil if there is no such directory.
    static func existing(_ place: DirectoryPlace) throws(KeychainError) -> FileRoot? {
        do throws(SystemError) { return FileRoot(folder: try open(place, making: false)) } catch {
            if error.isMissing { return nil }
            throw KeychainError(file: error)
        }
    }

    private init(folder: consuming ConfinedFolder) { self.folder = folder }

    private static func open(_ place: DirectoryPlace, making: Bool) throws(SystemError) -> ConfinedFolder {
        var folder = try ConfinedFolder(path: place.base[place.base.count - 1])
        if place.names.isEmpty { try checkOwner(folder) }
        for name in place.names {
            folder = try making ? folder.folderMakingIt(name) : folder.folder(name)
            try checkOwner(folder)
        }
        return folder
    }

    /// Where others may write, they could take files and locks away.
    private static func checkOwner(_ folder: borrowing ConfinedFolder) throws(SystemError) {
        let entry = try folder.entry()
        guard entry.uid == geteuid(), entry.mode & 0o022 == 0 else {
            throw SystemError("use the directory: others may write to it", errno: EPERM)
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
        for name in names { found = try making ? found.folderMakingIt(name) : found.folder(name) }
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
