import Cryptography
import HelperProtocol
import Item
import Platform
import ProgramOptions
import Recovery
import Vault

/// Reads an old vault's file for `coffer recovery restore`.
enum OldVaultCommand: HelperTask {
    /// The scratch folder is for a private copy of the file.
    static let usage = ProgramUsage.Command(
        Helper.oldVault, abstract: "Read an old vault's file, for \"coffer recovery restore\".",
        words: ["file", "scratch"])

    /// The longest line, in bytes. A code with any spacing, or an item's number, is far shorter.
    private static let longestLine = 1024

    static func run(_ words: [String]) throws {
        let (file, scratch) = (words[0], words[1])
        var lines = StandardInputLines(limit: longestLine)
        while let line = try lines.next() {
            let vault: RecoverableVault
            do throws(OldVault.Problem) { vault = try open(file, scratch, with: line) } catch {
                try HelperAnswer.say(OldVault.Opening(error))
                guard error.code == .malformedCode else { return }
                continue
            }
            try HelperAnswer.say(OldVault.Opening(items: vault.items.map(OldVault.Item.init)))
            while let line = try lines.next() {
                try HelperAnswer.say(value(String(decoding: line, as: UTF8.self), vault))
            }
        }
    }

    private static func open(_ file: String, _ scratch: String, with line: [UInt8]) throws(OldVault.Problem)
        -> RecoverableVault
    {
        let code: RecoveryCode
        do {
            code = try RecoveryCode(reading: SecretBytes(copying: line))
        } catch let error as RecoveryCodeError {
            throw OldVault.Problem(.malformedCode, error.description)
        } catch {
            throw OldVault.Problem(.failed, "there is no memory for the code")
        }
        do throws(VaultError) { return try RecoverableVault(copying: file, to: scratch, code: code) } catch {
            throw OldVault.Problem(error)
        }
    }

    /// - Parameter numbers: that of an item, and that of one of its fields.
    private static func value(_ numbers: String, _ vault: RecoverableVault) throws -> OldVault.Value {
        let words = numbers.split(separator: " ", omittingEmptySubsequences: false).map { Int($0) }
        guard words.count == 2, let index = words[0], let place = words[1], vault.items.indices.contains(index) else {
            throw UsageError("there is no item \(numbers)")
        }
        let item = vault.items[index]
        let fields = item.summary.metadata.fields
        guard fields.indices.contains(place) else { throw UsageError("there is no field \(numbers)") }
        do throws(VaultError) {
            return OldVault.Value(try vault.value(of: item, fields[place].name).base64Encoded())
        } catch { return OldVault.Value(OldVault.Problem(error)) }
    }
}

extension OldVault.Item {
    init(_ item: RecoverableVault.Item) { self.init(item.summary.metadata, item.summary.access) }

    init(_ metadata: Metadata, _ access: AccessControl) {
        self.init(
            service: metadata.service, account: metadata.account,
            kind: metadata.kind == .genericPassword ? nil : metadata.kind.rawValue, label: metadata.label,
            comment: metadata.comment, attributes: metadata.attributes, expires: metadata.expires,
            accessibility: access.accessibility.rawValue,
            thisDeviceOnly: access.isThisDeviceOnly,
            require: access.requirements.inOrder.map(\.rawValue),
            any: access.anyIsEnough,
            fields: metadata.fields.map { OldVault.Field(name: $0.name.text, kind: $0.kind.rawValue) })
    }
}

extension OldVault.Problem {
    init(_ error: VaultError) {
        let code: Code =
            switch error.code {
            case .notFound: .noCode
            case .authenticationFailed: .wrongCode
            case .damaged: .damaged
            case .newerFormat: .newerFormat
            default: .failed
            }
        self.init(code, error.reason)
    }
}
