import Authorization
import BrokerProtocol
import Platform
import Varlink

/// Finds out which vault a call means, and by what right. For a vault that the call names, it asks the name service at
/// every call and keeps no answer. Only the name of a vault's own account is kept for a while (`OwnerCheck`).
struct VaultAccess: Sendable {
    let registry: Registry
    /// Asks the name service. One that hangs holds a thread for each question.
    private let questions = UserTurns(most: AccountLimits.questions, mostOfOne: AccountLimits.questionsOfOne)

    /// - Throws: `NotFound` for a missing group, and the same error for a group without the caller as a member;
    ///   `NotPermitted` for root's methods.
    func admit(
        _ caller: Caller, _ method: any VarlinkMethod, _ choice: Keychain.VaultChoice
    ) async throws(Fault) -> Admission {
        if let creation = method as? Keychain.CreateVault {
            return try await questions.run(for: caller.uid) { () throws(Fault) in
                try admitCreation(caller, creation.owner)
            }
        }
        if method is Keychain.AcceptVault {
            return try await questions.run(for: caller.uid) { () throws(Fault) in
                try Self.admitAcceptance(caller, choice)
            }
        }
        if method is Keychain.SetAsideVault {
            return try await questions.run(for: caller.uid) { () throws(Fault) in
                try Self.admitSettingAside(caller, choice)
            }
        }
        switch (choice.group, choice.user) {
        case (nil, nil): return Admission(owner: caller.owner, standing: .own, name: nil)
        case (let group?, nil):
            return try await questions.run(for: caller.uid) { () throws(Fault) in try admitMember(caller, group) }
        case (nil, let user?):
            return try await questions.run(for: caller.uid) { () throws(Fault) in try admitRoot(caller, user) }
        case (_?, _?):
            throw Fault(.invalidArgument, "a vault belongs to a group or an account", advice: "name one of them")
        }
    }

    /// A missing group and a group of others end in the same error, before any vault is read.
    private func admitMember(_ caller: Caller, _ name: String) throws(Fault) -> Admission {
        guard let group = try Self.membership(of: caller.uid, in: name) else { throw Faults.noGroupVault }
        return Admission(owner: .group(group.gid), standing: .member, name: name)
    }

    /// - Returns: the group, if the user is a member of it now.
    private static func membership(of uid: UInt32, in name: String) throws(Fault) -> Group? {
        do throws(SystemError) {
            guard let group = try Group.named(name), let account = try Account.withUID(uid) else { return nil }
            return account.isMember(of: group.gid) ? group : nil
        } catch { throw Faults.noNames }
    }

    private func admitRoot(_ caller: Caller, _ name: String) throws(Fault) -> Admission {
        let account = try account(name, for: caller)
        let record: RegistryRecord?
        do throws(RegistryError) { record = try registry.record(for: .user(account.uid)) } catch { throw Fault(error) }
        guard let record else {
            throw Fault(
                .notFound, "“\(name)” has no vault",
                advice: "make a service vault with: coffer vault create --owner \(name)")
        }
        guard record.isService else {
            throw Fault(
                .notPermitted,
                "the vault of “\(name)” belongs to a person: only its owner may use it, and root may not"
            )
        }
        return Admission(owner: .user(account.uid), standing: .root, name: name)
    }

    /// Root may accept the file of any vault.
    private static func admitAcceptance(_ caller: Caller, _ choice: Keychain.VaultChoice) throws(Fault) -> Admission {
        guard caller.uid == 0 else {
            throw Fault(.notPermitted, "only root may accept a vault's file that the TPM has not counted")
        }
        return try admitToAny(caller, choice)
    }

    /// Root may set any vault aside. That reads no secret.
    private static func admitSettingAside(_ caller: Caller, _ choice: Keychain.VaultChoice) throws(Fault) -> Admission {
        guard caller.uid == 0 else { throw Fault(.notPermitted, "only root may set a vault aside") }
        if let owner = try numbered(choice) {
            return Admission(owner: owner, standing: .root, name: choice.user ?? choice.group)
        }
        return try admitToAny(caller, choice)
    }

    /// The owner that is named by its number, as for a vault whose account or group is gone. A name comes first.
    private static func numbered(_ choice: Keychain.VaultChoice) throws(Fault) -> Owner? {
        do throws(SystemError) {
            switch (choice.group, choice.user) {
            case (nil, let text?): return try Account.named(text) == nil ? number(text).map(Owner.user) : nil
            case (let text?, nil): return try Group.named(text) == nil ? number(text).map(Owner.group) : nil
            case (nil, nil), (_?, _?): return nil
            }
        } catch { throw Faults.noNames }
    }

    /// The number in plain digits; nil if the text is anything else.
    private static func number(_ text: String) -> UInt32? {
        text.utf8.allSatisfy { (48...57).contains($0) } ? UInt32(text) : nil
    }

    private static func admitToAny(_ caller: Caller, _ choice: Keychain.VaultChoice) throws(Fault) -> Admission {
        do throws(SystemError) {
            switch (choice.group, choice.user) {
            case (nil, nil): return Admission(owner: caller.owner, standing: .own, name: nil)
            case (let name?, nil):
                guard let group = try Group.named(name) else { throw SystemError("find the group", reason: "none") }
                return Admission(owner: .group(group.gid), standing: .root, name: name)
            case (nil, let name?):
                guard let account = try Account.named(name) else {
                    throw SystemError("find the account", reason: "none")
                }
                return Admission(owner: .user(account.uid), standing: .root, name: name)
            case (_?, _?): break
            }
        } catch {
            throw Fault(
                .notFound, "there is no such account or group, or the name service does not answer",
                advice: "see: getent passwd, or getent group")
        }
        throw Fault(.invalidArgument, "a vault belongs to a group or an account", advice: "name one of them")
    }

    private func admitCreation(_ caller: Caller, _ name: String) throws(Fault) -> Admission {
        let account = try account(name, for: caller)
        guard account.uid != 0 else {
            throw Fault(
                .invalidArgument, "root makes its own vault like everybody else", advice: "make it with: coffer unlock")
        }
        return Admission(owner: .user(account.uid), standing: .root, name: name)
    }

    private func account(_ name: String, for caller: Caller) throws(Fault) -> Account {
        // Before anything is looked up: whether a name exists is not for this answer to tell.
        guard caller.uid == 0 else {
            throw Fault(.notPermitted, "only root may name another account's vault")
        }
        let account: Account?
        do throws(SystemError) { account = try Account.named(name) } catch { throw Faults.noNames }
        guard let account else { throw Fault(.notFound, "there is no account “\(name)”", advice: "see: getent passwd") }
        return account
    }
}
