import Authorization
import Glibc
import Platform

/// A file that is not finished. No reader takes its name for a path of the store.
enum Leftover {
    private static let prefix = ".coffer-"
    private static let count = 16

    /// Random, so that two writers never meet.
    static func name() -> String {
        prefix + Hex.encode((0..<count).map { _ in UInt8.random(in: .min ... .max) })
    }

    /// Removes what former runs of this user left in a folder, if it is older than a day.
    ///
    /// The age keeps the file of a run that writes now. Only a regular file goes, and only its name in this folder.
    static func tidy(_ folder: borrowing ConfinedFolder, _ names: [String]) {
        for name in names where isName(name) {
            // `try?`: what cannot be looked at or removed does no harm, and is met again.
            guard let entry = try? folder.entry(name), entry.kind == .file, entry.uid == geteuid(),
                WallTime.now.seconds - CourierLimits.leftover > entry.modified.seconds
            else { continue }
            try? folder.remove(name)
        }
    }

    private static func isName(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), let bytes = Hex.decode(String(name.dropFirst(prefix.count))) else { return false }
        return bytes.count == count && name == prefix + Hex.encode(bytes)
    }
}
