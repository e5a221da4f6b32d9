/// The members of one object, while they are read.
public struct JSONMembers {
    private(set) var seen: UInt64 = 0
    /// Where in the table of names the next one is looked for first. Coffer's writers sort names.
    private var expected = 0
    private var isFirst = true
    /// The names that nobody asks for, so that each of them comes once.
    private var others: Set<String> = []
    let besides: [String]
    var noted: [(name: String, at: Int)] = []

    init(besides: [String]) { self.besides = besides }

    /// A member that must be there.
    @inlinable public func required<Value>(_ value: Value?, _ name: String) throws(JSONFailure) -> Value {
        guard let value else { throw .missing(name) }
        return value
    }
}

extension JSONReader {
    /// Enters an object. Its members are then taken with ``next(_:of:)``.
    public mutating func members() throws(JSONFailure) -> JSONMembers {
        let members = JSONMembers(besides: besides)
        besides = []
        try beginObject()
        return members
    }

    /// Goes to the value of the next member that is asked for.
    /// - Parameter names: sorted, 64 at most. Each is plain ASCII.
    /// - Returns: the name's place among the names; nil behind the last member.
    public mutating func next(_ members: inout JSONMembers, of names: [String]) throws(JSONFailure) -> Int? {
        while try goToName(isFirst: members.takeFirst()) {
            let name = try scanString()
            guard let found = try members.find(name, names, self) else {
                let text = try self.name(name)
                guard members.isNew(text) else { throw Self.nameTwice }
                try takeColon()
                if members.besides.contains(text) { members.noted.append((text, at)) }
                try skipValue()
                continue
            }
            guard members.isNew(found) else { throw Self.nameTwice }
            try takeColon()
            return found
        }
        if !members.noted.isEmpty { noted = members.noted }
        return nil
    }

    /// Reads an object and uses none of its members.
    public mutating func emptyObject() throws(JSONFailure) {
        var members = try members()
        while try next(&members, of: []) != nil {}
    }

    /// Reads a member's value; nil for null, which is as if the member were absent.
    @inlinable public mutating func read<Value: JSONReadable>(
        _ type: Value.Type = Value.self
    ) throws(JSONFailure) -> Value? {
        try takeNull() ? nil : try Value(from: &self)
    }

    @usableFromInline mutating func takeNull() throws(JSONFailure) -> Bool {
        guard next == UInt8(ascii: "n") else { return false }
        try beginValue()
        try word("null")
        return true
    }

    /// Notes where the next object has the values of these names, if nobody else asks for them.
    public mutating func note(_ names: [String]) {
        besides = names
        noted = []
    }

    /// Reads a value that was noted; nil for null and if there was none.
    public mutating func readNoted<Value: JSONReadable>(_ name: String) throws(JSONFailure) -> Value? {
        guard let found = noted.first(where: { $0.name == name }) else { return nil }
        let place = mark()
        at = found.at
        let value: Value? = try read()
        go(to: place)
        return value
    }

    fileprivate func isName(_ name: String, at range: Range<Int>) -> Bool {
        let text = name.utf8.span
        guard text.count == range.count else { return false }
        for index in 0..<text.count where text[index] != bytes[range.lowerBound + index] { return false }
        return true
    }
}

extension JSONMembers {
    mutating func takeFirst() -> Bool {
        defer { isFirst = false }
        return isFirst
    }

    fileprivate mutating func find(
        _ name: JSONString, _ names: [String], _ reader: borrowing JSONReader
    ) throws(JSONFailure) -> Int? {
        if name.isPlain {
            for step in 0..<names.count {
                let index = (expected + step) % names.count
                guard reader.isName(names[index], at: name.range) else { continue }
                expected = index + 1
                return index
            }
            return nil
        }
        // Two spellings that Unicode calls equal are one name, as Swift compares them.
        let text = try reader.name(name)
        return names.firstIndex(of: text)
    }

    mutating func isNew(_ index: Int) -> Bool {
        defer { seen |= 1 << UInt64(index) }
        return seen & 1 << UInt64(index) == 0
    }

    mutating func isNew(_ name: String) -> Bool { others.insert(name).inserted }
}
