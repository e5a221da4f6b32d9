import Foundation

/// A script that can be run as soon as it is there.
public enum Script {
    /// Writes a script, mode 755.
    ///
    /// A program of its own makes the file: a descriptor of ours that is open for writing, inherited by what another
    /// thread starts at that moment, would leave the script "busy" (execve(2), ETXTBSY) until that child is done with it.
    public static func write(_ script: String, to path: String) throws {
        let folder = try TemporaryFolder()
        let source = folder.path + "/program"
        try script.write(toFile: source, atomically: false, encoding: .utf8)
        try Tool.output("install", ["-m", "755", source, path])
    }
}
