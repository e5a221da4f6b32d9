import Coffer

/// The access control of an item that takes in another one as a field: the stricter of the two.
enum FoldedAccess {
    /// - Returns: nil if neither is as strict as the other.
    static func stricter(_ companion: AccessControl, _ target: AccessControl) -> AccessControl? {
        if AccessWeakening(from: companion, to: target) == nil { return target }
        if AccessWeakening(from: target, to: companion) == nil { return companion }
        return nil
    }

    /// Why neither access control can be that of both, as a clause.
    static func obstacle(_ companion: ItemAttributes, _ target: ItemAttributes) -> String? {
        guard let access = stricter(companion.access, target.access) else {
            return
                "it \(words(companion.access)), \(target.shownName) \(words(target.access)), and neither is stricter; give both the same with: coffer edit --require"
        }
        // The fields of an item have one password, and nobody else knows whether the two are the same.
        guard
            target.access.requirements.contains(.applicationPassword)
                || !access.requirements.contains(.applicationPassword)
        else {
            // --require replaces what the item requires, so all of it is named.
            let options = AccessWeakening(from: access, to: target.access)?.remedy ?? ""
            return "it has an application password, and \(target.shownName) has none; give that one with: "
                + VisibleText.sentence(
                    ShellText.command(
                        "edit", target.service, target.account, options.split(separator: " ").map(String.init)))
        }
        return nil
    }

    /// What an access control asks for, as the rest of a clause.
    static func words(_ access: AccessControl) -> String {
        "is of class \(ItemText.access(access)) and requires \(ItemText.requires(access) ?? "nothing")"
    }
}

extension AccessControl {
    /// How many fields an item under it can have: one prompt is for all of them, and each takes its own signatures.
    var mostFields: Int {
        let most = ways.map { $0.subtracting([.applicationPassword]).count }.max() ?? 0
        return min(ItemLimits.fields, ItemLimits.signatures / max(1, most))
    }
}
