/// What a line of a PAM stack does with its module's return value (pam.conf(5)).
struct PAMControl: Sendable, Equatable {
    enum Action: Sendable, Hashable {
        case ok, done, bad, die, ignore, reset
        /// Skips this many lines.
        case jump(Int)

        init(_ word: some StringProtocol) {
            self =
                switch word {
                case "ok": .ok
                case "done": .done
                case "die": .die
                case "ignore": .ignore
                case "reset": .reset
                default:
                    // libpam takes a word that it does not know as "bad", and 0 as "ok".
                    if let count = Int(word), count >= 0 { count == 0 ? .ok : .jump(count) } else { .bad }
                }
        }
    }

    private var named: [String: Action] = [:]
    /// For all values without an action of their own.
    private let rest: Action

    /// - Parameter control: as ``PAMLine/control``, in lower case.
    init(_ control: String) {
        switch control {
        case "required":
            named = ["success": .ok, "ignore": .ignore]
            rest = .bad
        case "requisite":
            named = ["success": .ok, "ignore": .ignore]
            rest = .die
        case "sufficient":
            named = ["success": .done]
            rest = .ignore
        case "optional":
            named = ["success": .ok]
            rest = .ignore
        default:
            let inner = control.drop { $0 == "[" }.prefix { $0 != "]" }
            var words = inner.split { $0.isWhitespace || $0 == "=" }[...]
            while let name = words.popFirst(), let action = words.popFirst() {
                named[String(name)] = named[String(name)] ?? Action(action)
            }
            rest = named.removeValue(forKey: "default") ?? .bad
        }
    }

    var atSuccess: Action { named["success"] ?? rest }

    /// What a module that never succeeds comes to (pam_deny).
    var atRefusal: Action { named["auth_err"] ?? rest }

    /// What a module that is not there comes to.
    var atAbsence: Action { named["module_unknown"] ?? rest }

    /// What any value but success can come to.
    /// - Parameter ignores: whether the module can return `PAM_IGNORE`.
    func otherwise(ignores: Bool) -> Set<Action> {
        Set(named.filter { $0.key != "success" && (ignores || $0.key != "ignore") }.values).union([rest])
    }
}
