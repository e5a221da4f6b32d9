import Authorization
import BrokerProtocol
import Circle
import Coffer
import Cryptography
import Platform

/// Makes a code on paper. This program makes it, so the broker never learns it: that gets public keys only. The authenticator
/// gets the code as the person has typed it from the paper, and compares the keys with it.
struct PaperMaking {
    let sharing: Sharing
    let noPrompt: Bool

    /// - Parameter former: the code that is replaced; nil if there is none.
    /// - Parameter script: whether a program reads the code from standard output, and writes it back to standard input.
    /// - Returns: the id of the paper.
    func make(replacing former: Sync.Paper?, script: Bool) throws -> String {
        let (code, text): (PaperCode, String)
        let keys: MemberKeys
        do throws(CryptographyError) {
            code = try .random()
            text = try code.text.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
            keys = try PaperKeys(code, in: sharing.circle).member
        } catch { throw PaperCodeInput.noMemory }
        let typed = try script ? byProgram(code, text) : byPerson(code, text)
        if let former {
            _ = try sharing.session.call(
                Sync.Remove(devices: [former.device]), for: "ending the former code on paper", noPrompt: noPrompt,
                command: Self.command(again: true))
        }
        do throws(KeychainError) {
            _ = try sharing.session.call(
                Sync.AddPaper(keys: Base64.encode(keys.bytes)), for: "making a code on paper", noPrompt: noPrompt,
                command: Self.command(again: former != nil), code: TypedCode(typed))
        } catch {
            if former != nil {
                Output.note("The former code on paper is removed, and there is no other one. Run: coffer sync paper")
            }
            throw error
        }
        return Hex.encode(keys.device.bytes)
    }

    private static func command(again: Bool) -> String { "coffer sync paper" + (again ? " --again" : "") }

    /// How many secrets that require a person the code does not open yet.
    static func unreleased(_ device: String, _ session: CommandSession) throws(KeychainError) -> Int {
        try session.client.call(Sync.Releasables()).items.count { $0.machines.contains(device) }
    }

    private func byPerson(_ code: PaperCode, _ text: String) throws -> String {
        try Output.line(
            """

            The code, shown only this once:

                \(VisibleText.line(text))

            Write it down, with the name of your folder. Keep it away from your machines and from copies of the folder: \
            whoever has both reads everything that your machines share. It is valid once you have typed it from the paper.

            """)
        for tried in 1...InputLimits.paperCodeTries {
            let answer = try PaperCodeInput().ask("The code, as it is on the paper: ")
            do throws(KeychainError) {
                try Self.check(answer, is: code)
                return text
            } catch {
                guard tried < InputLimits.paperCodeTries else { break }
                Output.note("coffer: \(error.message); look again")
            }
        }
        throw Self.unconfirmed
    }

    /// Writes the code, and reads it back from standard input.
    private func byProgram(_ code: PaperCode, _ text: String) throws -> String {
        try Output.line(text)
        guard let answer = readLine() else { throw Self.unconfirmed }
        do throws(KeychainError) { try Self.check(Array(answer.utf8), is: code) } catch { throw Self.unconfirmed }
        return text
    }

    private static func check(_ typed: [UInt8], is code: PaperCode) throws(KeychainError) {
        guard try PaperCodeInput.code(in: typed).isSame(as: code) else {
            throw KeychainError(.invalidArgument, "that is another code")
        }
    }

    private static let unconfirmed = KeychainError(
        .cancelled, "the code was not typed as it is, so it is not valid", advice: "nothing was changed")
}
