import Authorization
import Circle
import Coffer
import Courier
import FoundationEssentials

/// The folder through which a vault shares its secrets, and the store in it.
struct SharedFolder {
    /// Absolute, because commands run in other folders later.
    let path: String
    let store: FolderStore

    /// - Parameter path: an existing folder, as the person names it.
    init(_ path: String) throws {
        self.path = Self.absolute(path, in: FileManager.default.currentDirectoryPath)
        do throws(StoreError) { store = try FolderStore(self.path) } catch { throw Self.failure(error) }
    }

    static func absolute(_ path: String, in folder: String) -> String {
        var path = path
        while path.hasPrefix("./") { path = String(path.dropFirst(2)) }
        if path == "." { path = "" }
        var whole = path.hasPrefix("/") ? path : path.isEmpty ? folder : "\(folder)/\(path)"
        while whole.count > 1, whole.hasSuffix("/") { whole.removeLast() }
        return whole
    }

    /// - Throws: if this user may not write there. A circle is begun only after that.
    func checkWritable() throws {
        guard FileManager.default.isWritableFile(atPath: path) else {
            throw CommandFailure(
                code: "folder-not-writable", message: "you may not write to \(ShellText.quote(path))",
                advice: "choose another folder, or ask its owner to let you write there", status: .notPermitted)
        }
    }

    func circles() throws -> [StatementName] {
        do throws(StoreError) { return try store.circles() } catch { throw Self.failure(error) }
    }

    func read(_ path: StorePath) throws -> [UInt8]? {
        do throws(StoreError) { return try store.read(path) } catch { throw Self.failure(error) }
    }

    func write(_ bytes: [UInt8], to path: StorePath) throws {
        do throws(StoreError) { try store.write(bytes, to: path) } catch { throw Self.failure(error) }
    }

    /// Removes a file that has done its work. One that stays does no harm.
    func remove(_ path: StorePath) {
        do throws(StoreError) { try store.remove(path) } catch {
            Output.note("coffer: warning: \(VisibleText.sentence(error.description))")
        }
    }

    static func failure(_ error: StoreError) -> CommandFailure {
        let (code, status): (String, ExitStatus) =
            switch error.code {
            case .missing: ("folder-missing", .notFound)
            case .notAFolder: ("folder-is-none", .usage)
            case .notPermitted: ("folder-not-permitted", .notPermitted)
            case .readOnly: ("folder-read-only", .failure)
            case .full: ("folder-full", .failure)
            case .tooLarge, .strange, .tooMany: ("folder-strange", .failure)
            case .other: ("folder-unusable", .failure)
            }
        return CommandFailure(
            code: code, message: begun(error.message), advice: begun(error.advice), status: status)
    }

    /// Errors of this program begin with a small letter, behind its name. A path stays as it is.
    private static func begun(_ text: String) -> String { text.prefix(1).lowercased() + text.dropFirst() }
}
