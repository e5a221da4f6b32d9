import Foundation

/// Makes scripts that can be run at once.
public enum Script {
    /// Writes a script with mode 755.
    ///
    /// Another program makes the file. If this process had it open for writing, a child that another thread starts at that moment would inherit the
    /// descriptor. The script would then be "busy" (execve(2), ETXTBSY) until that child closes it.
    public static func write(_ script: String, to path: String) throws {
        let folder = try TemporaryFolder()
        let source = folder.path + "/program"
        try script.write(toFile: source, atomically: false, encoding: .utf8)
        try Tool.output("install", ["-m", "755", source, path])
    }
}
