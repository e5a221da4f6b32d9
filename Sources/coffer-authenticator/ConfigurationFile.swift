import ArgumentParser
import Platform
import RootConfiguration

/// The options of the subcommands.
struct CommonOptions: ParsableArguments {
    @Option(help: "The configuration file.")
    var config = Configuration.defaultPath

    func load() throws -> Configuration {
        guard let status = try FileStatus.of(config), status.isRegular, status.mode & 0o022 == 0,
            status.uid == 0 || status.uid == ProcessSurroundings.effectiveUser
        else {
            throw ValidationError(
                "\(config) must be there, and nobody but root (or this user, in a sandbox) may change it.")
        }
        let bytes = try DurableFile.read(config, limit: ConfigurationLimits.file)
        return try Configuration(parsing: String(decoding: bytes, as: UTF8.self))
    }
}
