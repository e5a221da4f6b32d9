import ArgumentParser
import FoundationEssentials
import Glibc
import Platform

/// Waits until standard input ends, and then removes the folder of an editor's file. Only `edit --value` and `set --editor` start it.
struct EditCleanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "edit-clean", shouldDisplay: false)

    @Argument var folder: String

    func run() throws {
        // The end of the terminal must not end it before its work.
        for number in [SIGHUP, SIGINT, SIGTERM] { signal(number, SIG_IGN) }
        guard folder.split(separator: "/").last?.hasPrefix(EditedValue.folderPrefix) == true else {
            throw ValidationError("this is no folder of an editor's file")
        }
        while try !StandardInput.read(limit: 1).isEmpty {}
        try FileManager.default.removeItem(atPath: folder)
    }
}
