import Authorization
import BrokerProtocol
import Platform

/// Completes the setting aside of a vault whose files the broker has moved: moves the registry's record too, and gives the owner a copy of the file.
/// Nothing is removed or replaced.
struct SetAsideVault {
    let owner: Owner
    /// The time in the names of the files.
    let stamp: String
    let registry: Registry
    /// The broker's folder.
    let vaults: String
    /// The broker's account. Only its own files are copied.
    let broker: UInt32

    /// Names of files are made of it.
    static func isStamp(_ text: String) -> Bool {
        (1...ClientLimits.stamp).contains(text.utf8.count)
            && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || $0 == UInt8(ascii: "-") }
    }

    func complete() throws(ConversationError) -> BrokerProtocol.Authentication.SetAside.Reply {
        let record: (present: RegistryRecord?, path: String?)
        do throws(RegistryError) { record = try registry.setAside(owner, stamp: stamp) } catch {
            throw .refused(.notCompleted("the registry's record cannot be set aside", error))
        }
        // A group's vault and a service vault have no recovery code, so a copy is of no use.
        guard case .user(let uid) = owner, record.present?.isService != true else {
            return .init(record: record.path, copy: nil)
        }
        do throws(SystemError) {
            // The number may be another person's now, and the copy would be theirs.
            guard try isOwner(uid, record.present) else { return .init(record: record.path, copy: nil) }
            return .init(record: record.path, copy: try copy(for: uid))
        } catch {
            throw .refused(
                .notCompleted(
                    "the vault is set aside, but its owner's copy of the file cannot be made: \(error)",
                    advice: "copy it by hand from \(vaults)/set-aside", kind: "failed"))
        }
    }

    /// Whether the vault was made for the account that has the number now. Without a record that says so, nobody gets a
    /// copy.
    ///
    /// - Parameter moved: the record that was moved just now; nil if an earlier call has moved it.
    private func isOwner(_ uid: UInt32, _ moved: RegistryRecord?) throws(SystemError) -> Bool {
        // `try?`: records that cannot be read vouch for nobody.
        let earlier = (try? registry.setAsideRecords()) ?? []
        let records = moved.map { [$0] } ?? earlier.filter { $0.owner == owner }
        guard !records.isEmpty, let account = try Account.withUID(uid) else { return false }
        return records.allSatisfy { $0.ownerName == account.name }
    }

    /// - Returns: nil if there is no file.
    private func copy(for uid: UInt32) throws(SystemError) -> String? {
        let name = "\(owner.fileStem).\(stamp).vault"
        let copy = "\(registry.setAsideDirectory)/\(name)"
        guard try OwnedCopy.make(of: "\(vaults)/set-aside/\(name)", owner: broker, at: copy, for: uid) else {
            return nil
        }
        // What a crash had not yet written into the file itself.
        _ = try OwnedCopy.make(of: "\(vaults)/set-aside/\(name)-wal", owner: broker, at: copy + "-wal", for: uid)
        return copy
    }
}
