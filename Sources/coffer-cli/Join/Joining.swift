import Coffer
import FoundationEssentials

/// Makes fields of companions: `me:otp` becomes the field otp of `me`.
struct Joining {
    let session: CommandSession
    let noPrompt: Bool
    /// For the prompt and the log.
    let reason: String?
    let isTrial: Bool
    /// The command to run in a terminal if nobody can be asked here.
    let command: String

    /// What became of each companion.
    private(set) var outcomes: [JoinOutcome] = []
    /// The items that companions belong to, as they are by now.
    private var targets: [ItemName: ItemAttributes] = [:]

    init(
        _ session: CommandSession, noPrompt: Bool, reason: String?, isTrial: Bool, command: String
    ) {
        self.session = session
        self.noPrompt = noPrompt
        self.reason = reason
        self.isTrial = isTrial
        self.command = command
    }

    /// How many companions one prompt is for: each takes its own value, and the one that the field may have.
    private static let batch = ItemLimits.reads / 2

    /// - Throws: what ended it. ``outcomes`` has what was joined before.
    mutating func run(_ companions: [Companion]) throws(KeychainError) {
        let now = Date()
        var ready: [Companion] = []
        for companion in companions {
            targets[companion.target.name] = companion.target
            if companion.item.isExpired(at: now) || companion.target.isExpired(at: now) {
                refuse(companion, "one of the two has expired")
            } else if let obstacle = companion.obstacle(companion.target) {
                refuse(companion, obstacle)
            } else {
                ready.append(companion)
            }
        }
        guard !isTrial else {
            for companion in ready { outcomes.append(JoinOutcome(companion, nil, isTrial: true)) }
            return
        }
        // A call for several takes no application password.
        let single = ready.filter { $0.needsPassword }
        var rest = ready.filter { !$0.needsPassword }[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.batch))
            try join(some, try values(of: some))
            rest = rest.dropFirst(some.count)
        }
        for companion in single { try join([companion], try typedValues(of: companion)) }
    }

    private mutating func refuse(_ companion: Companion, _ reason: String) {
        outcomes.append(JoinOutcome(companion, reason, isTrial: isTrial))
    }

    /// The values of the companions, and of the fields that have their names already. A person is asked once.
    private func values(of companions: [Companion]) throws(KeychainError) -> [ReadField] {
        var fields = companions.map { FieldOfItem(item: $0.item, field: .secret) }
        // The fields of one item follow each other, because companions come in the order of a list, by item.
        fields += companions.filter { $0.target.field($0.field) != nil }
            .sorted { $0.target.id < $1.target.id }
            .map { FieldOfItem(item: $0.target, field: $0.field) }
        let reading = JointReading(
            session: session, noPrompt: noPrompt, reason: reason, purpose: "joining", command: command)
        let open = fields.filter(\.item.access.requirements.isEmpty)
        let guarded = fields.filter { !$0.item.access.requirements.isEmpty }
        return try reading.values(of: open) + reading.values(of: guarded)
    }

    private func typedValues(of companion: Companion) throws(KeychainError) -> [ReadField] {
        var fields = [FieldOfItem(item: companion.item, field: .secret)]
        if companion.target.field(companion.field) != nil {
            fields.append(FieldOfItem(item: companion.target, field: companion.field))
        }
        return try fields.map { (field) throws(KeychainError) in
            let found = try ItemReading(reason: reason, noPrompt: noPrompt, command: { command })
                .read(field.name, session)
            return ReadField(of: field, found.value, found.attributes)
        }
    }

    private mutating func join(_ companions: [Companion], _ values: [ReadField]) throws(KeychainError) {
        for companion in companions {
            func value(_ name: ItemName, _ field: FieldName) -> ReadField? {
                values.first { $0.item.name == name && $0.field == field }
            }
            guard let found = value(companion.item.name, .secret), let target = targets[companion.target.name] else {
                refuse(companion, "it is gone meanwhile, or the item that it belongs to")
                continue
            }
            let present = value(target.name, companion.field)
            if let present, present.value != found.value {
                refuse(
                    companion,
                    "\(FieldText.shown(target.shownName, companion.field)) has another value, so both stay"
                )
                continue
            }
            var new = NewItem(value: found.value)
            new.field = companion.field
            new.fieldKind = Companion.kind(of: found.value, for: companion.field)
            do throws(KeychainError) {
                targets[target.name] = try CompanionFolding(
                    session: session, noPrompt: noPrompt, reason: reason, command: command
                ).fold(new, from: found.item, into: target.name, target, isThere: present != nil)
                outcomes.append(JoinOutcome(companion, nil, isTrial: false))
            } catch {
                guard Self.concernsOne(error) else { throw error }
                refuse(companion, error.description)
                // `try?`: without the item, the others that belong to it are refused, too.
                targets[target.name] = try? session.client.call(ItemCall.attributes(of: PartialName(target.name)))
            }
        }
    }

    /// Whether the others can be joined all the same.
    private static func concernsOne(_ error: KeychainError) -> Bool {
        [.changedMeanwhile, .limitExceeded, .invalidArgument, .notFound].contains(error.code)
    }
}

extension Companion {
    /// Whether its value, or storing it as a field, can take an application password.
    fileprivate var needsPassword: Bool {
        (item.access.requirements.union(target.access.requirements)).contains(.applicationPassword)
    }
}
