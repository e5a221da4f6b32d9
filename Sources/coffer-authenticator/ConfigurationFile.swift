import Platform
import ProgramOptions
import RootConfiguration

/// The file with root's settings.
struct ConfigurationFile {
    let path: String

    func load() throws -> Configuration {
        guard let status = try FileStatus.of(path), status.isRegular, status.mode & 0o022 == 0,
            status.uid == 0 || status.uid == OwnProcess.effectiveUser
        else {
            throw UsageError("\(path) must be there, and nobody but root (or this user, in a sandbox) may change it.")
        }
        let bytes = try DurableFile.read(path, limit: ConfigurationLimits.file)
        return try Configuration(parsing: String(decoding: bytes, as: UTF8.self))
    }
}
