import BrokerProtocol
import FoundationEssentials
import Platform

/// Items between the library's types and those of `org.coffer.Keychain`.
extension ItemAttributes {
    init(_ item: Wire.Item) throws(KeychainError) {
        guard let version = Int(exactly: item.version) else {
            throw KeychainError(.protocolViolation, "the broker gave an impossible version")
        }
        self.init(
            id: item.id,
            name: ItemName(service: item.service, account: item.account, itemClass: ItemClass(item.kind)),
            label: item.label,
            comment: item.comment, attributes: item.attributes, access: AccessControl(item.access),
            created: Date(milliseconds: item.created), modified: Date(milliseconds: item.modified),
            expires: item.expires.map(Date.init(milliseconds:)), version: version,
            revision: item.revision)
    }
}

extension ItemClass {
    init(_ wire: Wire.ItemKind) {
        self =
            switch wire {
            case .generic: .genericPassword
            case .internet: .internetPassword
            case .key: .key
            case .certificate: .certificate
            case .file: .file
            }
    }

    var wire: Wire.ItemKind {
        switch self {
        case .genericPassword: .generic
        case .internetPassword: .internet
        case .key: .key
        case .certificate: .certificate
        case .file: .file
        }
    }
}

extension ItemName {
    /// As calls name an item: the usual kind is left out.
    var wireKind: Wire.ItemKind? { itemClass == .genericPassword ? nil : itemClass.wire }

    var wire: Wire.ItemName { Wire.ItemName(service: service, account: account, kind: wireKind) }
}

extension ItemChange.Condition {
    var mode: Wire.SetMode? {
        switch self {
        case .none, .isUnchanged: nil
        case .isAbsent: .new
        case .isPresent: .existing
        }
    }

    var revision: String? { if case .isUnchanged(let revision) = self { revision } else { nil } }
}

extension Wire.Change {
    /// - Throws: `.invalidArgument` for a condition that a deletion cannot have.
    init(_ change: ItemChange, now: Date) throws(KeychainError) {
        let name = change.name
        switch change.action {
        case .set(let item):
            self.init(
                action: .set, service: name.service, account: name.account, kind: name.wireKind,
                value: Base64.encode(item.value), access: item.access.map(Wire.AccessChange.init), label: item.label,
                comment: item.comment, attributes: item.attributes, expires: item.expiry?.milliseconds(now: now),
                mode: change.condition.mode, ifRevision: change.condition.revision,
                applicationPassword: item.applicationPassword.map(Base64.encode))
        case .delete:
            guard change.condition.mode == nil else {
                throw KeychainError(
                    .invalidArgument, "a deletion may only have the condition isUnchanged",
                    advice: "look at the item first, and give its revision")
            }
            self.init(
                action: .delete, service: name.service, account: name.account, kind: name.wireKind,
                ifRevision: change.condition.revision)
        }
    }
}

extension Date {
    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension AccessControl {
    init(_ wire: Wire.AccessControl) {
        let accessibility: Accessibility =
            switch wire.accessibility {
            case .whenUnlocked: .whenUnlocked
            case .afterFirstUnlock: .afterFirstUnlock
            case .passcodeSet: .passcodeSet
            case .always: .always
            }
        self.init(
            accessibility, isThisDeviceOnly: wire.thisDeviceOnly, requirements: Set(wire.require.map(Requirement.init)),
            anyIsEnough: wire.any)
    }
}

extension AccessControl.Requirement {
    init(_ wire: Wire.Constraint) {
        self =
            switch wire {
            case .presence: .userPresence
            case .biometry: .biometryAny
            case .biometryCurrentSet: .biometryCurrentSet
            case .passcode: .devicePasscode
            case .appPassword: .applicationPassword
            }
    }

    fileprivate var wire: Wire.Constraint {
        switch self {
        case .userPresence: .presence
        case .biometryAny: .biometry
        case .biometryCurrentSet: .biometryCurrentSet
        case .devicePasscode: .passcode
        case .applicationPassword: .appPassword
        }
    }
}

extension Wire.AccessControl {
    init(_ access: AccessControl) {
        let accessibility: Wire.Accessibility =
            switch access.accessibility {
            case .whenUnlocked: .whenUnlocked
            case .afterFirstUnlock: .afterFirstUnlock
            case .passcodeSet: .passcodeSet
            case .always: .always
            }
        // In the order of declaration, so that equal access controls are sent alike.
        let require = AccessControl.Requirement.allCases.filter(access.requirements.contains).map(\.wire)
        self.init(
            accessibility: accessibility, thisDeviceOnly: access.isThisDeviceOnly, require: require,
            any: access.anyIsEnough)
    }
}

extension Wire.AccessChange {
    init(_ access: AccessControl) { self.init(Wire.AccessControl(access)) }
}

/// Byte strings as the wire has them.
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String {
        var data = Data(bytes)
        defer { data.resetBytes(in: data.startIndex..<data.endIndex) }
        return data.base64EncodedString()
    }

    /// Decodes a secret, and overwrites the text.
    static func take(_ text: String) throws(KeychainError) -> [UInt8] {
        defer { Wipe.storage(of: text.utf8) }
        guard let data = Data(base64Encoded: text) else {
            throw KeychainError(.protocolViolation, "the broker gave a value that is not base64")
        }
        defer { Wipe.storage(of: data) }
        return Array(data)
    }
}
