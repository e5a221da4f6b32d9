import Circle

/// The keys that members write to, and what was said about them.
extension CircleView {
    static func membership(
        of circle: StatementName, _ statements: [SignedStatement]
    ) throws(VaultError) -> Membership {
        do throws(CircleFormError) { return try Membership(of: circle, statements) } catch { throw .impossible(error) }
    }

    /// The generation that records are written to; nil if somebody must make one first.
    var present: KeyGeneration? {
        let told = generations.values.filter { attested.contains($0.name) }
        return membership.generation(of: device.circle, among: told.sorted { $0.name < $1.name })
    }

    /// What this device seals to until there is a generation that everybody can open: the present one, or else one that
    /// opens here. A member can make one that opens nowhere, and that must neither spoil a change that waits nor keep that
    /// member from being removed.
    var usable: KeyGeneration? {
        presentThatOpens ?? openGenerations.first { isByAWriter($0) }
    }

    /// The present generation, if this device has its keys.
    var presentThatOpens: KeyGeneration? { present.flatMap { halves[$0.name] == nil ? nil : $0 } }

    /// Who says to have given the keys of a generation to this device: its maker, or who has added this device with it.
    func giver(of generation: KeyGeneration) -> WriterID {
        guard !generation.receivers.contains(where: { $0.device == device.id }) else { return generation.maker }
        let additions = statements.values.compactMap(\.first?.statement).filter { statement in
            if case .addition(device.keys, _, given: generation.name) = statement.content { true } else { false }
        }
        return additions.map(\.signer).min() ?? generation.maker
    }

    /// The generations that this device can open, by their names.
    var openGenerations: [KeyGeneration] {
        halves.keys.sorted().compactMap { generations[$0] }
    }

    /// Those of them that somebody may need: a device that may write has made them, or has written what counts under them.
    /// A reader can make any number.
    var neededGenerations: [KeyGeneration] {
        let used = usedGenerations(by: streams.keys.filter { !readers.contains($0) })
        return openGenerations.filter { isByAWriter($0) || used.contains($0.name) }
    }

    /// As many of these as an answer holds, sorted: what present writers have used comes first. The others are sent later.
    var generationsToTell: [KeyGeneration] {
        let needed = neededGenerations
        guard needed.count > CircleLimits.generations else { return needed }
        let used = usedGenerations(by: membership.members.filter(\.role.mayWrite).map(\.keys.device))
        let usable = usable?.name
        func rank(_ generation: KeyGeneration) -> Int {
            generation.name == usable ? 0 : used.contains(generation.name) ? 1 : 2
        }
        let ranked = needed.map { (rank: rank($0), generation: $0) }
            .sorted { ($0.rank, $0.generation.name) < ($1.rank, $1.generation.name) }
        return ranked.prefix(CircleLimits.generations).map(\.generation).sorted { $0.name < $1.name }
    }

    /// The generations under which devices have written what counts.
    private func usedGenerations(by devices: [WriterID]) -> Set<StatementName> {
        var used: Set<StatementName> = []
        for device in devices {
            let counting = membership.others.contains(device) ? whatCounts(of: device) : nil
            for one in streams[device]?.counted ?? [] where counting?.contains(one.after) ?? true {
                if let generation = one.record.header.generation { used.insert(generation) }
            }
        }
        return used
    }

    /// Whether the maker of a generation has told it, and is no reader, now or before it was removed.
    func isByAWriter(_ generation: KeyGeneration) -> Bool {
        attested.contains(generation.name) && !readers.contains(generation.maker)
    }

    /// This device's part in the circle; nil if it is not a member.
    var role: MemberRole? { membership.members.first { $0.keys == device.keys }?.role }

    /// The statements, each with the signature that its signer has made.
    var signedStatements: [SignedStatement] {
        statements.keys.sorted().compactMap { name in
            let copies = statements[name] ?? []
            return copies.first { copy in keys[copy.statement.signer].map(copy.isSigned) ?? false } ?? copies.first
        }
    }

    /// The newest statements: those that are in no other's past.
    var newestStatements: [StatementName] {
        let past = Set(statements.values.compactMap(\.first).flatMap(\.statement.past))
        let void = Set(membership.waiting + membership.refused)
        return statements.keys.filter { !past.contains($0) && !void.contains($0) }.sorted()
    }

    /// The devices that have ended their membership themselves, by leaving or by a succession. Nobody has removed them, nor
    /// what succeeded them.
    var leavers: Set<WriterID> {
        var (leavers, removed, predecessors): (Set<WriterID>, [WriterID], [WriterID: [WriterID]]) = ([], [], [:])
        for statement in membership.removals.compactMap({ statements[$0]?.first?.statement }) {
            switch statement.content {
            case .removal(let devices):
                for device in devices where device != statement.signer { removed.append(device) }
                if devices.contains(statement.signer) { leavers.insert(statement.signer) }
            case .succession(let keys, _):
                leavers.insert(statement.signer)
                predecessors[keys.device, default: []].append(statement.signer)
            case .founding, .addition: break
            }
        }
        while let device = removed.popLast() {
            leavers.remove(device)
            // Each is looked at once.
            removed += predecessors.removeValue(forKey: device) ?? []
        }
        return leavers
    }
}

extension Membership {
    /// The devices whose changes have no effect.
    var readers: Set<WriterID> {
        Set(members.filter { !$0.role.mayWrite }.map(\.keys.device)).union(formerReaders)
    }
}
