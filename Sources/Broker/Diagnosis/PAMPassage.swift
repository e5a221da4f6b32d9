/// A way through a stack's auth lines that ends in a success, although no module that asks a person has succeeded. Or one through its account
/// lines, although no module that judges the account has. The search plays what libpam does
/// with every value that the modules could return.
enum PAMPassage: Equatable {
    /// Only modules that ask nobody let people in. The list names them.
    case unasked([String])
    /// Coffer does not know whether these modules ask.
    case unknown([String])
    /// There is no success at all.
    case nobody

    /// Where a walk stands. The rest of the walk depends on nothing else.
    private struct Place: Hashable {
        var next = 0
        var impression = Impression.none
        /// The impression at the beginning of each substack that the next line is in.
        var saved: [Impression] = []
        /// Whether a module that asks has succeeded.
        var isAsked = false
        /// Whether an unknown module has succeeded.
        var isDoubtful = false
    }

    private enum Impression: Hashable { case none, accepted, refused }

    private struct Walk {
        var place = Place()
        /// The lines with modules that do not ask, or are unknown, and whose success brought the walk here.
        var granting: [Int] = []
    }

    /// - Returns: nil if each success takes a module that asks. A passage without unknown modules comes before others.
    static func find(through stack: PAMStack, past proof: PAMProof) -> PAMPassage? {
        find(through: stack, reading: proof)
    }

    /// - Returns: as above, for the lines of the reading's type.
    static func find(through stack: PAMStack, reading proof: some PAMReading) -> PAMPassage? {
        let lines = stack.lines.filter { $0.type == proof.type }
        var open = [Walk()]
        var seen: Set<Place> = []
        var unknown: [String]?
        var accepts = false
        while let walk = open.popLast() {
            guard seen.insert(walk.place).inserted else { continue }
            // No person could judge such a stack either.
            guard seen.count <= DiagnosisLimits.pamStates else { return .unknown(Self.modules(lines.indices, lines)) }
            guard walk.place.next < lines.count else {
                guard walk.place.impression == .accepted else { continue }
                accepts = true
                if walk.place.isAsked { continue }
                guard walk.place.isDoubtful else { return .unasked(Self.culprits(walk.granting, lines)) }
                let doubtful = walk.granting.filter { proof.word(of: lines[$0]) == .unknown }
                unknown = unknown ?? Self.modules(doubtful, lines)
                continue
            }
            open += Self.steps(from: walk, lines, proof)
        }
        return unknown.map(PAMPassage.unknown) ?? (accepts ? nil : .nobody)
    }

    private static func steps(from walk: Walk, _ lines: [PAMLine], _ proof: some PAMReading) -> [Walk] {
        let line = lines[walk.place.next]
        let control = PAMControl(line.control)
        var now = walk
        now.place.saved = Array(now.place.saved.prefix(line.depth))
        while now.place.saved.count < line.depth { now.place.saved.append(now.place.impression) }
        if line.module == "pam_deny.so" { return [Self.step(now, control.atRefusal, succeeded: false, lines)] }
        var success = now
        switch proof.word(of: line) {
        case .asked: success.place.isAsked = true
        case .unknown:
            success.place.isDoubtful = true
            success.granting.append(walk.place.next)
        case .unasked: success.granting.append(walk.place.next)
        }
        var next = [Self.step(success, control.atSuccess, succeeded: true, lines)]
        if line.module != "pam_permit.so" {
            next += control.otherwise(ignores: proof.canIgnore(line)).map {
                Self.step(now, $0, succeeded: false, lines)
            }
        }
        return next
    }

    /// As libpam's dispatcher does it.
    private static func step(
        _ walk: Walk, _ action: PAMControl.Action, succeeded: Bool, _ lines: [PAMLine]
    ) -> Walk {
        var place = walk.place
        let depth = lines[place.next].depth
        var skipped = 0
        switch action {
        case .ignore: break
        case .reset: place.impression = place.saved.last ?? .none
        case .ok, .done:
            // A value that is no success and counts as "ok" is what the stack returns.
            if place.impression != .refused { place.impression = succeeded ? .accepted : .refused }
            if action == .done, place.impression == .accepted { skipped = .max }
        case .bad: place.impression = .refused
        case .die:
            place.impression = .refused
            skipped = .max
        case .jump(let count): skipped = count
        }
        place.next += 1
        while skipped > 0, place.next < lines.count, lines[place.next].depth >= depth {
            // A substack counts as one line.
            let isDeeper = lines[place.next].depth > depth
            place.next += 1
            while isDeeper, place.next < lines.count, lines[place.next].depth > depth { place.next += 1 }
            skipped -= 1
        }
        // libpam refuses if a jump leads out of the stack.
        if case .jump = action, skipped > 0 { place.impression = .refused }
        return Walk(place: place, granting: walk.granting)
    }

    private static func modules(_ indices: some Sequence<Int>, _ lines: [PAMLine]) -> [String] {
        Set(indices.map { lines[$0].module }).sorted()
    }

    /// pam_permit often stands at the end of a jump, which another module has made.
    private static func culprits(_ granting: [Int], _ lines: [PAMLine]) -> [String] {
        let deciding = granting.filter { lines[$0].module != "pam_permit.so" }
        return Self.modules(deciding.isEmpty ? granting : deciding, lines)
    }
}
