import Authorization
import Cryptography
import Platform

/// Root's list of the machines that may be added as proven ones (docs/sync.md, "A machine that proves its TPM"). Each line
/// has the Name of an endorsement key in hexadecimal, and what the machine is called.
struct MachineList {
    /// What machines are called, by the Names of their endorsement keys.
    private let machines: [[UInt8]: String]
    private let path: String

    /// - Parameter path: of a file that only root can write.
    /// - Throws: ``ConversationError`` for a file that is missing, that others could write, or that says something else.
    init(_ path: String) throws(ConversationError) {
        let bytes: [UInt8]
        do throws(SystemError) {
            guard let status = try FileStatus.of(path) else {
                throw SystemError(
                    "use \(path)", reason: "it is missing",
                    advice: "have root write the machines into it that may be added; on each of these, "
                        + "coffer sync identity prints its line")
            }
            guard status.isRegular, status.mode & 0o022 == 0, status.uid == 0 || status.uid == OwnProcess.effectiveUser
            else {
                throw SystemError("use \(path)", reason: "it must be a file that only root can write")
            }
            bytes = try DurableFile.read(path, limit: MachineListLimits.file)
        } catch { throw .refused(.misconfigured(error)) }
        machines = try Self.read(String(decoding: bytes, as: UTF8.self), from: path)
        self.path = path
    }

    /// What root calls a machine.
    ///
    /// - Throws: ``ConversationError`` for a machine that is not in the list.
    func name(of machine: MachineIdentity) throws(ConversationError) -> String {
        let name = try MachineProof.cryptography { () throws(CryptographyError) in try machine.endorsementName }
        guard let known = machines[name] else {
            throw .refused(
                .challengeRefused(
                    "the machine's TPM is not in \(path)",
                    advice: "if it is yours, have root add the line that it prints with: coffer sync identity"))
        }
        return known
    }

    private static func read(_ text: String, from path: String) throws(ConversationError) -> [[UInt8]: String] {
        var machines: [[UInt8]: String] = [:]
        // By scalars: Swift takes CR LF for one character, and would find one line in such a file.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for (index, line) in lines.enumerated() {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\r" })
            guard let first = words.first else { continue }
            guard let name = Hex.decode(String(first)), name.count == MachineListLimits.name, words.count <= 2 else {
                throw .refused(
                    .misconfigured(
                        "line \(index + 1) of \(path) is no machine",
                        advice: "a line has 68 hexadecimal digits and a name; on the machine, coffer sync identity "
                            + "prints it"))
            }
            machines[name] = words.count == 2 ? String(words[1]) : String(first)
        }
        return machines
    }
}
