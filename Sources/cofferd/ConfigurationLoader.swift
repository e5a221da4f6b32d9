import Platform
import ProgramOptions
import RootConfiguration

/// Reads root's configuration file, if only root can have written it. In a sandbox, it may be this user's.
enum ConfigurationLoader {
    static func load(_ path: String) throws -> Configuration {
        guard let status = try FileStatus.of(path), status.isRegular, status.mode & 0o022 == 0 else {
            throw UsageError("\(path) must be there, and nobody but its owner may change it.")
        }
        let bytes = try DurableFile.read(path, limit: ConfigurationLimits.file)
        let configuration = try Configuration(parsing: String(decoding: bytes, as: UTF8.self))
        guard status.uid == 0 || (configuration.sandbox && status.uid == OwnProcess.effectiveUser) else {
            throw UsageError("\(path) must belong to root (only a sandbox may do without).")
        }
        return configuration
    }
}
