import Coffer
import HelperProtocol
import Platform

/// An old vault's file that the helper has open.
struct OldVaultReading: RestoredSource, ~Copyable {
    private let file: String
    private var helper: HelperConversation
    private(set) var items: [OldVault.Item] = []

    /// - Parameter scratch: a folder in which the helper makes a private folder for a copy of the file.
    init(_ file: String, scratch: String) throws(KeychainError) {
        self.file = file
        helper = try HelperConversation([Helper.oldVault, "--", file, scratch])
    }

    /// - Parameter code: the code as it was typed.
    /// - Throws: `.invalidArgument` for a malformed code; another one can then be tried. Otherwise the error names the problem with the file, or with
    ///   the code for it.
    mutating func open(with code: [UInt8]) throws(KeychainError) {
        // The helper reads one line, and any separators between a code's groups will do.
        let line = code.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
        let opening: OldVault.Opening = try helper.ask(line, limit: HelperLimits.list)
        if let problem = opening.problem { throw KeychainError(recovering: problem, file: file) }
        items = opening.items ?? []
    }

    /// - Parameters:
    ///   - index: an index into ``items``.
    ///   - field: an index into the fields of that item.
    /// - Throws: `.invalidArgument` if this one value cannot be read.
    mutating func value(at index: Int, field: Int) throws(KeychainError) -> [UInt8] {
        let answer: OldVault.Value = try helper.ask(Array("\(index) \(field)".utf8), limit: HelperLimits.value)
        guard let text = answer.value else {
            throw KeychainError(
                .invalidArgument,
                "its value cannot be read from the old file: \(answer.problem?.reason ?? "no reason is given")")
        }
        defer { Wipe.storage(of: text.utf8) }
        guard let value = Base64.decode(text) else {
            throw KeychainError(
                .invalidArgument, "what was read of its value is not base64",
                advice: "install coffer and cofferd of the same version, then restore it again")
        }
        return value
    }
}

extension KeychainError {
    /// The error for an old vault's file that does not open.
    init(recovering problem: OldVault.Problem, file: String) {
        let text = "\(VisibleText.line(file)): \(problem.reason)"
        switch problem.code {
        case .malformedCode:
            self.init(
                .invalidArgument, problem.reason,
                advice: "compare it with what you wrote down (six groups of five, without the letters I, L, O and U)")
        case .noCode: self.init(.notFound, text)
        case .wrongCode:
            self.init(.wrongPassword, text, advice: "use the code that was valid when this copy was made")
        case .damaged: self.init(.damaged, text, advice: "try another copy")
        case .newerFormat, .failed: self.init(.failed, text)
        }
    }
}

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
