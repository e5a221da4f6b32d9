import Coffer
import Platform

/// A file that will hold secrets. It appears whole or not at all, and only its owner can read it.
struct TargetFile {
    private let path: String

    /// Looks at the place before anybody is asked.
    /// - Parameter template: the file that is read; nil for standard input.
    init(_ path: String, template: String?) throws(KeychainError) {
        self.path = path
        let present = try Self.status(of: path)
        // To replace a device or a link would be another thing than to write to it.
        guard present?.isRegular ?? true else {
            throw KeychainError(
                .invalidArgument, "\(VisibleText.quoted(path, likePath: true)) is not a file",
                advice: "name a file after --out")
        }
        do throws(SystemError) { try DurableFile.checkFolder(of: path) } catch { throw Self.unwritable(path, error) }
        guard let present, let read = try Self.source(template ?? "/proc/self/fd/0") else { return }
        guard (present.device, present.inode) != (read.device, read.inode) else {
            let input = template == nil ? "standard input" : "--in"
            throw KeychainError(
                .invalidArgument, "\(input) and --out are the same file, so the template would be lost",
                advice: "name another file after --out")
        }
    }

    /// What is read in the end: links lead to it, and a shell may have opened it.
    private static func source(_ path: String) throws(KeychainError) -> FileStatus? {
        do throws(SystemError) { return try FileStatus.following(path) } catch {
            throw KeychainError(
                .failed, "\(error.message), so nothing was written", advice: error.advice, cause: error.underlying)
        }
    }

    private static func status(of path: String) throws(KeychainError) -> FileStatus? {
        do throws(SystemError) { return try FileStatus.of(path) } catch { throw unwritable(path, error) }
    }

    func write(_ bytes: [UInt8]) throws(KeychainError) {
        // Its own name for each run, so that two at once do not write into one file. It is short, for files of long names.
        // By scalars: for Unicode, a slash and an accent after it are one character, which is no slash.
        let scalars = path.unicodeScalars
        let folder = scalars.lastIndex(of: "/").map { String(scalars[...$0]) } ?? ""
        let aside = "\(folder).coffer-\(UInt64.random(in: 0 ... .max)).writing"
        do throws(SystemError) { try DurableFile.write(bytes, to: path, mode: 0o600, aside: aside) } catch {
            throw Self.unwritable(path, error)
        }
    }

    /// - Parameter error: its own words can name a file that the person does not know.
    private static func unwritable(_ path: String, _ error: SystemError) -> KeychainError {
        KeychainError(
            .failed, "\(VisibleText.quoted(path, likePath: true)) cannot be written: \(error.reason)",
            advice: "name another file after --out", cause: error.underlying)
    }
}
