import Coffer
import FoundationEssentials
import Glibc
import Platform

/// Has a person edit a value in an editor. The file is in memory, in a folder that only this user can enter. A process of its own removes the folder
/// when this one ends, however that happens.
struct EditedValue {
    private let editor: Editor
    private let parents: [String]

    static let folderPrefix = "coffer-edit-"
    private static let file = "value"

    /// Checked before anybody is asked for anything.
    init(_ session: CommandSession) throws(KeychainError) {
        editor = try Editor.find(session)
        parents = [session.variable("XDG_RUNTIME_DIR"), "/dev/shm"].compactMap { $0 }.filter { $0.hasPrefix("/") }
        guard parents.contains(where: Self.takesFolders) else { throw Self.noFolder }
        if let warning = editor.warning { Output.note("coffer: warning: \(warning)") }
    }

    /// Has a person edit a value until it is stored. If it cannot be stored, it is nowhere else, so they may go on with it.
    /// - Parameter store: stores what the editor has saved.
    func edit<Stored>(
        _ value: [UInt8], storing store: ([UInt8]) throws(KeychainError) -> Stored
    ) throws(KeychainError) -> Stored {
        var text = value
        while true {
            text = try edit(text)
            guard text.count <= InputLimits.value else { throw ValueInput.tooLong }
            do throws(KeychainError) { return try store(text) } catch {
                guard Confirmation.isPossible else { throw error }
                Output.note("coffer: \(VisibleText.sentence(error.description))")
                // `try?`: Ctrl-C means no. If nobody can be asked, the first error is the one to tell.
                guard (try? Confirmation.isGiven("Nothing was stored. Edit the text again? [y/N] ")) == true else {
                    throw error
                }
            }
        }
    }

    /// - Returns: what the file holds after the editor has ended. An editor ends each line with a line break; if the text before had none at its end, or
    ///   if it is one line, the last one is dropped.
    func edit(_ value: [UInt8]) throws(KeychainError) -> [UInt8] {
        let folder = try folder()
        let cleaner = try cleaner(of: folder)
        defer { Self.clean(folder, cleaner) }
        let path = "\(folder)/\(Self.file)"
        let edited: [UInt8]?
        do throws(SystemError) {
            try MemoryFolder.write(value, to: path)
            try run(path)
            // One byte more than a value can have, to notice one that is too long.
            edited = try MemoryFolder.read(path, limit: InputLimits.value + 2)
        } catch {
            throw KeychainError(.failed, "\(error.reason), so nothing was stored")
        }
        guard let edited else { throw KeychainError(.failed, "the editor left no file, so nothing was stored") }
        return Self.withoutAddedNewline(edited, before: value)
    }

    static func withoutAddedNewline(_ edited: [UInt8], before value: [UInt8]) -> [UInt8] {
        let (newline, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        guard edited.last == newline else { return edited }
        let isOneLine = edited.dropLast().contains(newline) == false
        let wasAdded = value.isEmpty ? isOneLine : value.last != newline
        guard wasAdded else { return edited }
        let rest = edited.dropLast()
        // An editor of another system ends its lines with two bytes.
        return Array(rest.last == carriageReturn && value.last != carriageReturn ? rest.dropLast() : rest)
    }

    private func folder() throws(KeychainError) -> String {
        let name = Self.folderPrefix + String(UInt64.random(in: 0 ... .max), radix: 16)
        // `try?`: whatever is wrong with these folders, none of them serves.
        guard let made = try? MemoryFolder.make(name, in: parents) else { throw Self.noFolder }
        return made
    }

    private static func takesFolders(_ parent: String) -> Bool {
        guard MemoryFolder.isInMemory(parent) else { return false }
        // One that cannot be used does not serve, and the reason helps nobody while another one does.
        do throws(SystemError) { try DurableFile.checkFolder(of: "\(parent)/\(file)") } catch { return false }
        return true
    }

    private static var noFolder: KeychainError {
        KeychainError(
            .failed, "there is no folder in memory for the editor's file, so no editor was started",
            advice: "set XDG_RUNTIME_DIR to a folder on tmpfs, or pipe the value in")
    }

    /// Interrupts are the editor's. They must not end this process before the editor.
    private func run(_ path: String) throws(SystemError) {
        let signals = [SIGINT, SIGQUIT]
        let former = signals.map { signal($0, SIG_IGN) }
        defer { for (number, handler) in zip(signals, former) { signal(number, handler) } }
        let process = try Subprocess(editor.path, editor.arguments + [path]) {
            $0.input = .inherited
            $0.output = .inherited
            $0.errors = .inherited
            $0.staysInGroup = true
        }
        let status = try process.wait(until: nil)
        guard status == 0 else {
            throw SystemError("edit", reason: "the editor ended with status \(status ?? -1)")
        }
    }

    /// Removes the folder when its standard input ends, which is when this process ends or closes it.
    private func cleaner(of folder: String) throws(KeychainError) -> Subprocess {
        do throws(SystemError) {
            return try Subprocess("/proc/self/exe", ["edit-clean", folder]) {
                $0.name = "coffer"
                $0.directory = "/"
                $0.input = .pipe
                $0.leadsSession = true
                // It removes the folder whatever becomes of this process.
                $0.outlives = true
            }
        } catch {
            // `try?`: an empty folder in memory does no harm.
            try? FileManager.default.removeItem(atPath: folder)
            throw KeychainError(
                .failed, "the process that removes the editor's file could not start, so no editor was started")
        }
    }

    private static func clean(_ folder: String, _ cleaner: Subprocess) {
        cleaner.closeInput()
        // `try?`: if the wait fails, the file is looked for all the same.
        _ = try? cleaner.wait(until: .now + EditingLimits.cleaning)
        guard FileManager.default.fileExists(atPath: folder) else { return }
        do { try FileManager.default.removeItem(atPath: folder) } catch {
            Output.note(
                "coffer: warning: the editor's file is still in \(VisibleText.line(folder)); remove that folder")
        }
    }
}
