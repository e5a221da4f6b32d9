import Cryptography
import Item
import Vault

/// Calls about items that have the field `secret` alone.
extension OpenVault {
    @discardableResult
    func rotate(
        _ item: ItemSummary, value: SecretBytes, applicationPassword: StretchedPassword? = nil
    ) throws(VaultError) -> ItemSummary {
        try rotate(item, [FieldValue(.secret, value)], applicationPassword: applicationPassword)
    }

    @discardableResult
    func reseal(
        _ item: ItemSummary, value: SecretBytes, access: AccessControl, applicationPassword: StretchedPassword? = nil,
        changes: MetadataChanges = MetadataChanges()
    ) throws(VaultError) -> ItemSummary {
        try reseal(
            item, [FieldValue(.secret, value)], access: access, applicationPassword: applicationPassword,
            changes: changes)
    }

    @discardableResult
    func rename(
        _ item: ItemSummary, service: String, account: String, value: SecretBytes,
        applicationPassword: StretchedPassword? = nil
    ) throws(VaultError) -> ItemSummary {
        try rename(
            item, service: service, account: account, values: [FieldValue(.secret, value)],
            applicationPassword: applicationPassword)
    }
}

extension ItemView {
    func value(
        classKeys: ClassKeys, agreements: Agreements = [:], applicationPassword: StretchedPassword? = nil
    ) throws(VaultError) -> SecretBytes {
        try values(classKeys: classKeys, agreements: agreements, applicationPassword: applicationPassword)[0].value
    }
}
