import Coffer
import Courier
import Cryptography
import Glibc
import Platform

/// Reads what opens a store on a server: from a person at the terminal, or two lines of standard input. It never takes
/// arguments or the environment, which every program of the user can read.
struct StoreKeysInput {
    let place: RemotePlace

    /// - Returns: nil if the server wants none.
    func read() throws(KeychainError) -> RemoteKeys? {
        let (name, secret) = try isatty(STDIN_FILENO) == 1 ? typed() : piped()
        guard !name.isEmpty || !secret.isEmpty else {
            guard case .folder = place else {
                throw KeychainError(
                    .invalidArgument, "a bucket needs the ID of an access key, and its secret",
                    advice: "make a key with your provider")
            }
            return nil
        }
        guard let text = String(validating: name, as: UTF8.self), (1...StoreKeys.longest).contains(name.count),
            (1...StoreKeys.longest).contains(secret.count),
            (name + secret).allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else {
            throw KeychainError(
                .invalidArgument, "these are no credentials", advice: "give a name, and then a secret, in one line each"
            )
        }
        return try RemoteKeys(name: text, secret: StoreKeys.secret(secret))
    }

    private var words: (name: String, secret: String) {
        switch place {
        case .bucket: ("Access key ID", "Secret access key")
        case .folder: ("User name", "Password")
        }
    }

    private func typed() throws(KeychainError) -> ([UInt8], [UInt8]) {
        let shown = VisibleText.line(place.name)
        let name = try ask("\(words.name) for \(shown): ", hidden: false)
        if name.isEmpty, case .folder = place { return ([], []) }
        return (name, try ask("\(words.secret), not shown: ", hidden: true))
    }

    private func ask(_ question: String, hidden: Bool) throws(KeychainError) -> [UInt8] {
        let answer: Terminal.Answer
        do throws(SystemError) {
            answer = try Terminal().ask(
                question, hidden: hidden, limit: StoreKeys.longest + 1, guardian: Terminal.guardian)
        } catch {
            throw KeychainError(
                .failed, "cannot read from the terminal: \(error.reason)", advice: "pipe the credentials in instead")
        }
        switch answer {
        case .line(let bytes): return bytes
        case .cancelled: throw .cancelledByPerson
        }
    }

    private func piped() throws(KeychainError) -> ([UInt8], [UInt8]) { (try line(), try line()) }

    /// Byte by byte, because what follows can be for another reader.
    private func line() throws(KeychainError) -> [UInt8] {
        var line: [UInt8] = []
        do throws(SystemError) {
            while line.count <= StoreKeys.longest + 1 {
                let byte = try StandardInput.read(atMost: 1)
                guard let byte = byte.first, byte != UInt8(ascii: "\n") else { break }
                line.append(byte)
            }
        } catch { throw KeychainError(.failed, "standard input cannot be read", advice: "type them at a terminal") }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
    }
}
