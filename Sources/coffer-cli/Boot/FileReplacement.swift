import ArgumentParser
import BrokerProtocol
import Coffer
import Cryptography
import Foundation
import Platform
import Vault

/// What an update replaces: two files or two digests. Which of a file's digests was measured is for the firmware's log to say.
struct FileReplacement {
    /// No kernel or boot loader is larger.
    private static let longest = 512 << 20

    let pairs: [Keychain.Replacement]

    /// - Parameter text: `old=new`.
    init(parsing text: String) throws {
        let (old, new) = try BootApproveCommand.parts(text, of: "--replace")
        switch (Self.digest(old), Self.digest(new)) {
        case (let old?, let new?): pairs = [Keychain.Replacement(old: old, new: new)]
        case (nil, nil):
            let (old, new) = (try Self.measured(old), try Self.measured(new))
            var pairs = [Keychain.Replacement(old: Self.hex(old.content), new: Self.hex(new.content))]
            // An image in the place of an image, only: what else is started there, the firmware does not start.
            if let oldImage = old.image, let newImage = new.image {
                pairs.append(Keychain.Replacement(old: Self.hex(oldImage), new: Self.hex(newImage)))
            }
            self.pairs = pairs
        default: throw ValidationError("--replace takes two files or two digests, not one of each")
        }
    }

    private static func digest(_ text: String) -> String? {
        text.count == 64 && text.allSatisfy(\.isHexDigit) ? text.lowercased() : nil
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func measured(_ path: String) throws(KeychainError) -> MeasuredFile {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try DurableFile.read(path, limit: longest) } catch {
            throw KeychainError(
                .failed, "\(VisibleText.line(path)) cannot be read",
                advice: "give digests instead, which root can compute, or run coffer where the file can be read")
        }
        do throws(CryptographyError) { return try MeasuredFile(bytes) } catch {
            throw KeychainError(.failed, "the digest of \(VisibleText.line(path)) cannot be computed: \(error.reason)")
        }
    }
}
