import ArgumentParser
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
    /// How much more is left out than the parts that are named.
    var furtherLeftOut = 0
    /// Whether it comes from a file that holds secrets in the clear.
    var isPlainFile = false

    /// Whether there was nothing to read at all.
    var isEmpty: Bool {
        named.items.isEmpty && named.repeated.isEmpty && leftOut.isEmpty && problemCount == 0 && furtherLeftOut == 0
    }

    /// - Parameter mostFields: how many fields an item can have under the access control that the import gives.
    init(_ reading: ImportReading, mostFields: Int) {
        named = ImportedItems(reading.entries, mostFields: mostFields)
        problems = reading.problems + named.problems
        problemCount = reading.problemCount + named.problems.count
        leftOut = reading.leftOut + named.leftOut
        furtherLeftOut = reading.leftOutCount - reading.leftOut.count
    }

    init(_ reading: CofferExport.Reading) {
        // One item that this version does not know would take its batch with it, or would be stored as something else.
        named = ImportedItems(reading.items.filter { $0.unknown == nil })
        let unknown = reading.items.compactMap { item in item.unknown.map { ImportProblem(item.place, $0) } }
        let all = reading.problems + unknown + named.problems
        problems = Array(all.prefix(ImportLimits.problems))
        problemCount = all.count
        leftOut = named.leftOut
    }
}

/// Reads the file of another program.
struct ImportFile {
    /// `-` is standard input.
    let path: String

    var isStandardInput: Bool { path == "-" }
    var shown: String { isStandardInput ? "standard input" : VisibleText.line(path) }

    /// - Parameter mostFields: as ``ImportMaterial`` takes it.
    func read(_ format: ImportFormat, mostFields: Int) throws(KeychainError) -> ImportMaterial {
        let bytes = try bytes(ImportLimits.file)
        // What cannot be read, such as a link, is refused before.
        try warnIfExposed()
        do throws(UnreadableFile) {
            var material = ImportMaterial(try Self.reading(bytes, format), mostFields: mostFields)
            material.isPlainFile = true
            return material
        } catch {
            throw error.keychainError(shown)
        }
    }

    private static func reading(_ bytes: [UInt8], _ format: ImportFormat) throws(UnreadableFile) -> ImportReading {
        switch format {
        case .firefox: return try LoginTable.firefox.read(bytes)
        case .chromium: return try LoginTable.chromium.read(bytes)
        case .keepassxc: return try LoginTable.keePassXC.read(bytes)
        case .lastpass: return try LoginTable.lastPass.read(bytes)
        case .bitwarden: return try BitwardenFile.read(bytes)
        case .netrc: return try NetrcFile.read(bytes)
        case .onePassword:
            return OnePasswordFile.isMeant(bytes)
                ? try OnePasswordFile.read(bytes) : try LoginTable.onePassword.read(bytes)
        case .pass, .gnomeKeyring, .kwallet, .coffer: throw UnreadableFile("it is read in another way")
        }
    }

    /// - Parameter limit: the most bytes.
    func bytes(_ limit: Int) throws(KeychainError) -> [UInt8] {
        do throws(SystemError) {
            if isStandardInput { return try StandardInput.read(limit: limit + 1) }
            return try DurableFile.read(path, limit: limit)
        } catch {
            let code: KeychainError.Code = error.errno == ENOENT ? .notFound : .failed
            guard error.errno != ELOOP else {
                throw KeychainError(
                    code, "\(shown) cannot be read: it is a link",
                    advice: "name the file itself, or give - and pipe the content to standard input")
            }
            throw KeychainError(code, "\(shown) cannot be read: \(error.reason)", advice: "nothing was imported")
        }
    }

    /// Tells the person if others could read the secrets all along.
    func warnIfExposed() throws(KeychainError) {
        guard !isStandardInput, let status = try status(), status.isRegular, status.mode & 0o077 != 0 else { return }
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
        guard read.map({ $0.links == 1 }) ?? true else {
            throw KeychainError(
                .failed,
                "\(shown) was not removed, because the file has another name, which would still hold the secrets",
                advice: "find its names with: \(ShellText.command(["find", "/", "-xdev", "-samefile", path]))")
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

/// Where secrets come from.
enum ImportFormat: String, CaseIterable, ExpressibleByArgument {
    case firefox, chromium, keepassxc, bitwarden, lastpass
    case onePassword = "1password"
    case netrc, pass
    case gnomeKeyring = "gnome-keyring"
    case kwallet
    case coffer

    /// Whether it can be read from a file that holds secrets in the clear.
    var canBePlainFile: Bool { ![.pass, .gnomeKeyring, .kwallet].contains(self) }

    /// Whether it is read over D-Bus.
    var isOnBus: Bool { self == .gnomeKeyring || self == .kwallet }
}
