/// What a ``Settings`` keeps in memory: the file's content, changes that are not written yet, and who observes.
struct SettingsState: Sendable {
    /// What was read or written last; nil before the first look.
    private(set) var content: SettingsContent?
    /// The content with the pending changes.
    private(set) var values: [String: SettingsJSON] = [:]
    /// How much of a file they take; nil if that has to be counted anew.
    private var size: SettingsFormat.Size?
    private(set) var defaults: [String: SettingsJSON] = [:]
    /// Changes that are not written yet, each with its place in the order of changes.
    private var edits: [String: (edit: SettingsEdit, number: UInt64)] = [:]
    private var lastNumber: UInt64 = 0
    /// What writes of this process are changing just now. The file may be seen before the write returns.
    private var writing: [String: SettingsJSON?] = [:]
    /// Why a property could not be set.
    private var refusal: SettingsError?
    /// When the pending changes are written by themselves; nil if nothing is scheduled.
    var due: ContinuousClock.Instant?
    /// The memory itself, as long as it must not end (``isNeeded``).
    var keeper: SettingsMemory?
    var observers = SettingsObservers()
    var watch: Task<Void, Never>?

    /// Whether something would be lost with this memory.
    var isNeeded: Bool { !edits.isEmpty || !defaults.isEmpty }

    func value<Value>(for key: SettingKey<Value>) throws(SettingsError) -> Value {
        guard let json = values[key.name] ?? defaults[key.name] else { return key.defaultValue }
        return try Value.settingCoding.decode(json)
    }

    // MARK: Changes of this process

    /// - Returns: the observers to tell, outside of the lock. So do the methods below.
    mutating func record(_ edit: SettingsEdit) throws(SettingsError) -> [SettingsObserver] {
        // Otherwise memory would have no bound while nothing can be written.
        guard edits.count < SettingsLimits.pending || edits[edit.name] != nil else {
            throw SettingsError(.limitExceeded, "\(edits.count) changes wait to be written")
        }
        // Otherwise no change would be written until this one is taken back.
        let former = if let size { size } else { try SettingsFormat.Size(of: values) }
        var size = former
        try size.replace(edit.name, values[edit.name], by: edit.value)
        if size.isLarger(than: former) { try size.check() }
        self.size = size
        lastNumber += 1
        edits[edit.name] = (edit, lastNumber)
        guard values[edit.name] != edit.value else { return [] }
        values[edit.name] = edit.value
        return observers.note([edit.name], .here)
    }

    mutating func removeAll(except names: Set<String>) -> [SettingsObserver] {
        let removed = Set(values.keys).subtracting(names)
        for name in removed {
            lastNumber += 1
            edits[name] = (SettingsEdit(name: name, value: nil), lastNumber)
            values[name] = nil
        }
        size = nil
        return observers.note(removed, .here)
    }

    mutating func register(_ json: SettingsJSON, for name: String) -> [SettingsObserver] {
        guard defaults.updateValue(json, forKey: name) != json, values[name] == nil else { return [] }
        return observers.note([name], .here)
    }

    // MARK: Writing

    /// Applies the pending changes.
    private func apply(to values: inout [String: SettingsJSON]) {
        for (name, pending) in edits { values[name] = pending.edit.value }
    }

    /// The pending changes that a write makes.
    struct Written: Sendable {
        /// The number of the last one.
        var last: UInt64 = 0
        /// The names of those that do not fit into the suite, and why. Other processes have filled it meanwhile.
        var left: Set<String> = []
        var reason: SettingsError?
    }

    /// Applies the pending changes that fit into the suite, in their order. Those that need no more room go first.
    func write(to values: inout [String: SettingsJSON]) throws(SettingsError) -> Written {
        var all = values
        apply(to: &all)
        var written = Written(last: lastNumber)
        do throws(SettingsError) {
            try SettingsFormat.Size(of: all).check()
            values = all
            return written
        } catch { written.reason = error }
        var size = try SettingsFormat.Size(of: values)
        var larger: [SettingsEdit] = []
        for (edit, _) in edits.values.sorted(by: { $0.number < $1.number }) {
            var next = size
            try next.replace(edit.name, values[edit.name], by: edit.value)
            guard !next.isLarger(than: size) else {
                larger.append(edit)
                continue
            }
            size = next
            values[edit.name] = edit.value
        }
        for edit in larger {
            var next = size
            try next.replace(edit.name, values[edit.name], by: edit.value)
            do throws(SettingsError) { try next.check() } catch {
                written.left.insert(edit.name)
                continue
            }
            size = next
            values[edit.name] = edit.value
        }
        return written
    }

    /// Forgets the changes that are written. Later ones stay, and those that did not fit.
    mutating func forget(_ written: Written) {
        let number = written.last
        edits = edits.filter { $0.value.number > number || written.left.contains($0.key) }
    }

    /// Takes what was read or written.
    /// - Parameter own: the names that this write has changed.
    mutating func adopt(_ content: SettingsContent, own: Set<String> = []) -> [SettingsObserver] {
        let isFirst = self.content == nil
        self.content = content
        let former = values
        values = content.values
        apply(to: &values)
        size = nil
        guard former != values else { return [] }
        var names = Self.names(of: former, unlike: values)
        // What is found at the first look has not changed.
        if isFirst { names.formIntersection(own) }
        let isOurs = names.allSatisfy { name in
            own.contains(name) || writing[name].map { $0 == values[name] } ?? false
        }
        return observers.note(names, isOurs ? .here : .elsewhere)
    }

    mutating func begin(writing names: Set<String>, of values: [String: SettingsJSON]) {
        for name in names { writing.updateValue(values[name], forKey: name) }
    }

    mutating func end(writing names: Set<String>) {
        for name in names { writing.removeValue(forKey: name) }
    }

    /// The names that have other values, or none, in one of these.
    static func names(of left: [String: SettingsJSON], unlike right: [String: SettingsJSON]) -> Set<String> {
        guard left != right else { return [] }
        return Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }
    }

    mutating func failed(_ error: SettingsError) { observers.note(error) }

    /// Keeps why a property could not be set, because setting a property cannot throw.
    mutating func refused(_ error: SettingsError) {
        refusal = error
        observers.note(error)
    }

    mutating func takeRefusal() -> SettingsError? {
        defer { refusal = nil }
        return refusal
    }

    static func tell(_ observers: [SettingsObserver]) {
        for observer in observers { observer.wake.yield() }
    }
}
