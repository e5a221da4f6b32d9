import Coffer

extension AccessControl {
    /// The access control of a new entry in place of a former one: in each respect the stricter of the two.
    ///
    /// A program that waits cannot bring an application password. A person is asked for instead.
    func keeping(_ former: AccessControl) -> AccessControl {
        let former = former.withoutApplicationPassword
        let stricter = meets(former) ? self : former.meets(self) ? former : joined(with: former)
        let isEarlier = accessibility.looseness <= former.accessibility.looseness
        return stricter.with(
            isEarlier ? accessibility : former.accessibility,
            isThisDeviceOnly: isThisDeviceOnly || former.isThisDeviceOnly)
    }

    /// Whether each way of reading under this one is enough for the other one, too.
    private func meets(_ other: AccessControl) -> Bool {
        ways.allSatisfy { way in
            other.ways.contains { asked in asked.allSatisfy { one in way.contains { $0.proves(one) } } }
        }
    }

    /// All that both require. No access control says "all of these, and one of those". Then it is what the former one
    /// requires, because a person chose that for this entry.
    private func joined(with former: AccessControl) -> AccessControl {
        guard !anyIsEnough, !former.anyIsEnough else { return former }
        var both = requirements.union(former.requirements)
        // The two exclude each other, and the finger for one of them is good for the other.
        if both.contains(.biometryCurrentSet) { both.remove(.biometryAny) }
        do throws(AccessControlError) { return try AccessControl(accessibility, requirements: both) } catch {
            return former
        }
    }

    private var withoutApplicationPassword: AccessControl {
        guard requirements.contains(.applicationPassword) else { return self }
        let others = requirements.subtracting([.applicationPassword]).union([.userPresence])
        do throws(AccessControlError) {
            return try AccessControl(
                accessibility, isThisDeviceOnly: isThisDeviceOnly, requirements: others,
                anyIsEnough: anyIsEnough && others.count > 1)
        } catch { return self }
    }

    /// The same requirements, in another class.
    private func with(_ accessibility: Accessibility, isThisDeviceOnly: Bool) -> AccessControl {
        do throws(AccessControlError) {
            return try AccessControl(
                accessibility, isThisDeviceOnly: isThisDeviceOnly, requirements: requirements,
                anyIsEnough: anyIsEnough)
        } catch { return self }
    }
}

extension AccessControl.Requirement {
    /// Whether a person who meets this requirement has met the other one, too.
    fileprivate func proves(_ other: AccessControl.Requirement) -> Bool {
        switch other {
        case .userPresence: self != .applicationPassword
        case .biometryAny: self == .biometryAny || self == .biometryCurrentSet
        case .biometryCurrentSet, .devicePasscode, .applicationPassword: self == other
        }
    }
}
