import Coffer
import Platform

/// Checks whether a file can be an old vault's, before anybody types the thirty characters of a code. Only opening the file shows whether it is a
/// whole vault.
enum OldVaultFile {
    /// The largest first page that a database can have, in bytes.
    private static let pageLimit = 65_536
    private static let magic = Array("SQLite format 3\0".utf8)
    /// The first page holds the statements that made the tables.
    private static let table = Array("CREATE TABLE header (".utf8)

    static func check(_ path: String) throws(KeychainError) {
        let shown = VisibleText.line(path)
        guard try isRegular(path, shown), let page = try firstPage(path, shown), page.starts(with: magic),
            page.firstRange(of: table) != nil
        else {
            throw KeychainError(
                .invalidArgument, "\(shown) is not a vault's file", advice: "name a copy of user-<uid>.vault")
        }
    }

    private static func isRegular(_ path: String, _ shown: String) throws(KeychainError) -> Bool {
        let found: FileStatus?
        do throws(SystemError) { found = try FileStatus.of(path) } catch {
            throw KeychainError(.failed, "\(shown) cannot be examined: \(error.reason)")
        }
        guard let found else { throw KeychainError(.notFound, "\(shown): there is no such file") }
        guard !found.isSymbolicLink else {
            throw KeychainError(.invalidArgument, "\(shown) is a link", advice: "name the file that it points to")
        }
        return found.isRegular
    }

    /// - Returns: nil for an empty file.
    private static func firstPage(_ path: String, _ shown: String) throws(KeychainError) -> [UInt8]? {
        do { return try DurableFile.prefix(of: path, count: pageLimit) } catch {
            throw KeychainError(.failed, "\(shown) cannot be read", advice: "check that you may read it")
        }
    }
}
