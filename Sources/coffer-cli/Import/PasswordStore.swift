import Coffer
import Glibc
import Import
import Platform

/// The password store of pass(1): a folder of files that gpg(1) decrypts.
struct PasswordStore {
    let path: String
    let session: CommandSession
    /// How many fields an item can have.
    let mostFields: Int

    /// An encrypted file.
    private struct File {
        /// The names of the folders and of the file, without `.gpg`.
        var names: [String]
        var bytes: [UInt8]
    }

    private static let suffix = ".gpg"
    /// Names the keys of a store, also of an empty one.
    private static let mark = ".gpg-id"
    /// What git, pass and gopass keep within a store. No other name with a dot is special: an entry may be called `.env`.
    private static let special: Set<String> = [".git", ".extensions", ".public-keys", ".gpg-keys"]

    func read() throws(KeychainError) -> ImportMaterial {
        guard let gpg = session.programs.path(of: "gpg") else {
            throw KeychainError(
                .failed, "pass entries are decrypted by gpg, which is not in PATH", advice: "install gpg")
        }
        var reading = ImportReading()
        var files: [File] = []
        let isMarked: Bool
        do throws(SystemError) {
            let folder = try ConfinedFolder(path: path)
            isMarked = try folder.entry(Self.mark) != nil
            try collect(folder, [], &files, &reading)
        } catch {
            throw KeychainError(
                error.errno == ENOENT || error.errno == ENOTDIR ? .notFound : .failed,
                "\(VisibleText.line(path)) cannot be read: \(error.reason)",
                advice: "name the folder, usually ~/.password-store")
        }
        // A folder within a store has entries, and no mark.
        guard isMarked || !files.isEmpty || !reading.problems.isEmpty else {
            throw KeychainError(
                .notFound, "\(VisibleText.line(path)) has no entry of pass, and no \(Self.mark)",
                advice: "name the folder of the store, usually ~/.password-store")
        }
        var progress = ProgressLine(total: files.count, verb: "Decrypted")
        defer { progress.clear() }
        for (index, file) in files.enumerated() {
            let place = ImportPlace(file: file.names.joined(separator: "/"))
            do throws(UnreadableFile) {
                reading.entries.append(try PassEntry.read(path: file.names, text: try decrypt(file, gpg)))
            } catch {
                reading.addProblem(place, error.reason)
            }
            progress.show(index + 1)
        }
        return ImportMaterial(reading, mostFields: mostFields)
    }

    /// Links are not followed, so that no store leads out of itself.
    private func collect(
        _ folder: borrowing ConfinedFolder, _ names: [String], _ files: inout [File], _ reading: inout ImportReading
    ) throws(SystemError) {
        guard names.count < PasswordStoreLimits.depth else {
            throw SystemError("read the store", reason: "it is nested deeper than \(PasswordStoreLimits.depth) folders")
        }
        let inside = try folder.namesAndOthers()
        if inside.others > 0 {
            // Who removes the store afterwards would lose them.
            reading.addProblem(
                ImportPlace(file: names.isEmpty ? "." : names.joined(separator: "/")),
                "it has \(inside.others) name\(inside.others == 1 ? "" : "s") that \(inside.others == 1 ? "is" : "are") not UTF-8; rename \(inside.others == 1 ? "it" : "them")"
            )
        }
        for name in inside.names.sorted() where !Self.special.contains(name) {
            let place = ImportPlace(file: (names + [name]).joined(separator: "/"))
            let isEntry = name.hasSuffix(Self.suffix) && name.utf8.count > Self.suffix.utf8.count
            switch try folder.entry(name)?.kind {
            case .folder: try collect(folder.folder(name), names + [name], &files, &reading)
            case .file where isEntry:
                guard files.count < ImportLimits.entries else {
                    throw SystemError("read the store", reason: "it has more than \(ImportLimits.entries) entries")
                }
                let file = try folder.file(name)
                let bytes = try file.read(PasswordStoreLimits.file + 1)
                guard bytes.count <= PasswordStoreLimits.file else {
                    reading.addProblem(place, "it is larger than \(PasswordStoreLimits.file >> 10) KiB")
                    continue
                }
                files.append(File(names: names + [String(name.dropLast(Self.suffix.count))], bytes: bytes))
            case nil: break
            // Such as .gpg-id and .gitattributes.
            default: if isEntry || !name.hasPrefix(".") { reading.leaveOut(place, "it is no file of pass") }
            }
        }
    }

    /// gpg takes the file's bytes from a pipe, so that no other file can take its place meanwhile.
    private func decrypt(_ file: File, _ gpg: String) throws(UnreadableFile) -> [UInt8] {
        let text: [UInt8]?
        do throws(SystemError) { text = try output(of: gpg, for: file.bytes) } catch {
            throw UnreadableFile("gpg cannot be used: \(error.reason)")
        }
        guard let text else { throw UnreadableFile("gpg did not decrypt it") }
        return text
    }

    /// - Returns: nil if gpg failed. It says why on standard error.
    private func output(of gpg: String, for bytes: [UInt8]) throws(SystemError) -> [UInt8]? {
        let program = try Subprocess(gpg, ["--quiet", "--no-verbose", "--decrypt"]) {
            $0.input = .pipe
            $0.output = .pipe
            $0.errors = .inherited
            // gpg may ask at the terminal itself. The kernel would stop it there in a group of its own.
            $0.staysInGroup = true
        }
        // A pipe takes as much as a file may have, so writing does not wait until gpg is read from.
        try program.write(bytes)
        program.closeInput()
        var text: [UInt8] = []
        while true {
            let more = try program.read(limit: 65_536)
            if more.isEmpty { break }
            text += more
            // A small file may decompress to a large text.
            guard text.count <= PasswordStoreLimits.text else {
                throw SystemError("read", reason: "the text is too long")
            }
        }
        return try program.wait(until: nil) == 0 ? text : nil
    }
}
