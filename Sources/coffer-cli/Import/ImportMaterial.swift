import Coffer
import Glibc
import Import
import Platform

/// What was read, before anything is stored.
struct ImportMaterial {
    var named: ImportedItems
    /// Entries that cannot be read or stored.
    var problems: [ImportProblem]
    /// May be higher than the number of the problems that are kept.
    var problemCount: Int
    /// What the entries have that is not imported.
    var leftOut: [ImportProblem]

    init(_ reading: ImportReading) {
        named = ImportedItems(reading.entries)
        problems = reading.problems + named.problems
        problemCount = reading.problemCount + named.problems.count
        leftOut = reading.leftOut + named.leftOut
    }

    init(_ reading: CofferExport.Reading) {
        named = ImportedItems(reading.items)
        problems = reading.problems + named.problems
        problemCount = problems.count
        leftOut = named.leftOut
    }
}

/// Reads the file of another program.
struct ImportFile {
    /// `-` is standard input.
    let path: String

    var isStandardInput: Bool { path == "-" }
    var shown: String { isStandardInput ? "standard input" : VisibleText.line(path) }

    func read(_ format: ImportFormat) throws(KeychainError) -> ImportMaterial {
        let bytes = try bytes()
        do throws(UnreadableFile) { return ImportMaterial(try Self.reading(bytes, format)) } catch {
            throw error.keychainError(shown)
        }
    }

    private static func reading(_ bytes: [UInt8], _ format: ImportFormat) throws(UnreadableFile) -> ImportReading {
        switch format {
        case .firefox: return try LoginTable.firefox.read(bytes)
        case .chromium: return try LoginTable.chromium.read(bytes)
        case .keepassxc: return try LoginTable.keePassXC.read(bytes)
        case .bitwarden: return try BitwardenFile.read(bytes)
        case .netrc: return try NetrcFile.read(bytes)
        case .onePassword:
            // The table begins with the name of a column, and the archive with its mark.
            let isTable = bytes.first.map { $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "P") } ?? true
            return isTable ? try LoginTable.onePassword.read(bytes) : try OnePasswordFile.read(bytes)
        case .pass, .gnomeKeyring, .kwallet, .coffer: throw UnreadableFile("it is read in another way")
        }
    }

    func bytes() throws(KeychainError) -> [UInt8] {
        do throws(SystemError) {
            if isStandardInput { return try StandardInput.read(limit: ImportLimits.file + 1) }
            return try DurableFile.read(path, limit: ImportLimits.file)
        } catch {
            let code: KeychainError.Code = error.errno == ENOENT ? .notFound : .failed
            let reason = error.errno == ELOOP ? "it is a link" : error.reason
            throw KeychainError(code, "\(shown) cannot be read: \(reason)", advice: "nothing was imported")
        }
    }

    /// Tells the person if others could read the secrets all along.
    func warnIfExposed() throws(KeychainError) {
        guard !isStandardInput, let status = try status(), status.mode & 0o077 != 0 else { return }
        Output.note(
            "coffer: warning: other users can read \(shown) (mode \(String(status.mode & 0o777, radix: 8))); change the passwords if somebody may have"
        )
    }

    func status() throws(KeychainError) -> FileStatus? {
        do throws(SystemError) { return try FileStatus.of(path) } catch {
            throw KeychainError(.failed, "\(shown) cannot be examined: \(error.reason)")
        }
    }

    /// - Parameter read: the file as it was when it was read.
    func remove(_ read: FileStatus?) throws(KeychainError) {
        guard try status() == read else {
            throw KeychainError(
                .failed, "\(shown) was changed while it was imported, so it was not removed",
                advice: "import it again")
        }
        do throws(SystemError) { try FileRemoval.remove(path) } catch {
            throw KeychainError(
                .failed, "\(shown) cannot be removed: \(error.reason)", advice: "remove it with: \(removeCommand)")
        }
    }

    var removeCommand: String { ShellText.command(["rm"] + (path.hasPrefix("-") ? ["--"] : []) + [path]) }
}

extension UnreadableFile {
    func keychainError(_ file: String) -> KeychainError {
        let place = place.map { "\(VisibleText.sentence("\($0)")): " } ?? ""
        return KeychainError(
            .failed, "\(file) cannot be imported: \(place)\(VisibleText.sentence(reason))",
            advice: advice.isEmpty ? "nothing was imported" : advice)
    }
}
