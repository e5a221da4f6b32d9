import Coffer
import Platform

extension Terminal {
    /// This program as a guard: it restores the terminal if the process that asks there is killed.
    static var guardian: (path: String, arguments: [String]) {
        ("/proc/self/exe", ["coffer", HelperProgram.terminalGuardCommand])
    }
}
