import JSON

/// What does the work for which `coffer` would need a database or a cryptographic library, so that `coffer` starts without them. It is the broker's
/// program, which has these libraries, started by the user with ``command`` as its first argument.
public enum Helper {
    /// The program's file. It is beside `coffer` if both were built there, otherwise in `libexec/coffer`.
    public static let program = "cofferd"
    /// The first argument, which makes the program a helper and no broker.
    public static let command = "helper"
    /// The name that people see.
    public static let name = "\(program) \(command)"
    /// Reads an old vault's file; see ``OldVault``.
    public static let oldVault = "old-vault"
    /// Reads what a circle's paper opens; see ``PaperStore``.
    public static let paper = "paper"
    /// Encrypts and opens files in the age format; see ``AgeRequest``.
    public static let age = "age"
    /// Reads the user's keyring; see ``KeyringAnswer``.
    public static let keyring = "keyring"
    /// Reads the user's wallets; see ``KWalletAnswer``.
    public static let kwallet = "kwallet"
    /// Computes the digests of one file; see ``FileMeasurement``.
    public static let measure = "measure"
    /// Computes a one-time password; see ``OneTimePasswordRequest``.
    public static let oneTimePassword = "one-time-password"
}

/// The answer of `cofferd helper measure`: the digests that the firmware's log may have for a file, in hexadecimal.
public struct FileMeasurement: Codable, Sendable {
    /// The digest of the whole file; nil if it cannot be read.
    public var content: String?
    /// The digest of the image that the firmware starts, without its signatures; nil for any other file.
    public var image: String?

    public init(content: String? = nil, image: String? = nil) {
        self.content = content
        self.image = image
    }
}

extension FileMeasurement: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("content", content)
        writer.member("image", image)
        writer.endObject()
    }
}
