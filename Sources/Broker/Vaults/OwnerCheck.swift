import Authorization
import BrokerProtocol
import Platform
import Varlink

/// Checks that the name service knows the owner by the name that the vault was made for. A user's name is remembered
/// for 30 seconds, because name services can be slow. A group's is not, because its members are looked up at every
/// call anyway.
struct OwnerCheck {
    private var name: String?
    private var validUntil = ContinuousClock.Instant.now

    /// - Parameter record: nil if there is no vault whose owner's name could be compared.
    mutating func check(_ owner: Owner, record: RegistryRecord?) throws(Fault) {
        guard let record else { return }
        let name = try self.name(of: owner)
        guard name == record.ownerName else {
            throw Fault(
                .notPermitted,
                "this vault was made for an account or group of another name that had this number",
                advice: "ask root about it"
            )
        }
    }

    /// - Throws: `NotPermitted` if no account has this uid; `NotFound` if no group has this gid.
    mutating func name(of owner: Owner) throws(Fault) -> String {
        if let name, validUntil > .now { return name }
        switch owner {
        case .user(let uid):
            let known: Account?
            do throws(SystemError) { known = try Account.withUID(uid) } catch { throw Faults.noNames }
            guard let known else {
                throw Fault(
                    .notPermitted, "your user number has no account on this machine, so it cannot have a vault")
            }
            name = known.name
            validUntil = .now + AccountLimits.ownerMemory
            return known.name
        case .group(let gid):
            let known: Group?
            do throws(SystemError) { known = try Group.withGID(gid) } catch { throw Faults.noNames }
            guard let known else { throw Faults.noGroupVault }
            return known.name
        }
    }
}
