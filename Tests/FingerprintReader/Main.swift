import Foundation
import TestSupport

/// `fingerprint-reader MODULE TOUCH…` keeps a ``FingerprintReader`` until its standard input ends. It prints the sandbox's options for it, one a line.
///
/// MODULE is the path of pam_fprintd.so. TOUCH is fprintd's word for what the next fingers do, such as `verify-match`; the last one then stays.
@main
struct Main {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let touches = arguments.dropFirst().map { FprintdMock.Touch(rawValue: $0) }
        guard let module = arguments.first, !touches.contains(nil) else {
            FileHandle.standardError.write(Data("usage: fingerprint-reader MODULE TOUCH…\n".utf8))
            exit(64)
        }
        let desk = try FingerprintReader(user: NSUserName(), module: module)
        if !touches.isEmpty { try desk.fprintd.setTouches(touches.compactMap { $0 }) }
        FileHandle.standardOutput.write(Data((desk.sandboxOptions.joined(separator: "\n") + "\n").utf8))
        while !FileHandle.standardInput.availableData.isEmpty {}
        withExtendedLifetime(desk) {}
    }
}
