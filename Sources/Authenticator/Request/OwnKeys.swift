import Authorization
import Circle
import Cryptography
import Item

extension MemberKeys {
    /// Whether the constraint keys are those that root's registry names. Other machines seal guarded values to them, so a
    /// broker that was taken over must not put in keys of its own, which ask nobody.
    func areGuarded(by record: RegistryRecord) -> Bool {
        zip(Self.guards, [ObjectRole.presence, .biometryAny, .passcode]).allSatisfy { requirement, role in
            guard let point = point(of: requirement) else { return record.objects[role] == nil }
            do throws(CryptographyError) {
                return try GuardedKeyName.of(role, point: point, in: record) == record.objects[role]
            } catch {
                return false
            }
        }
    }
}
