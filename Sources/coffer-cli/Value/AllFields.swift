import Coffer
import FoundationEssentials

/// How a command reads all fields of an item, with one prompt.
struct AllFields {
    var reason: String?
    var noPrompt = false
    /// Ask for the application password at once, if there is a choice.
    var choosingPassword = false
    /// The command to run in a terminal if nobody can be asked here.
    var command: String
    /// Whether a person may be told what to expect.
    var tells = true

    func read(_ name: PartialName, _ session: CommandSession) throws(KeychainError) -> ReadFields {
        let item = try session.finding(name) { () throws(KeychainError) in
            try session.client.call(ItemCall.attributes(of: name))
        }
        let fields = item.fields.map { FieldOfItem(item: item, field: $0.name) }
        // A call for several fields takes no application password, so it is typed once and given for each.
        let takesPassword =
            choosingPassword
            || item.access.requirements.contains(.applicationPassword) && !item.access.anyIsEnough
        let values =
            takesPassword
            ? try readEach(fields, session)
            : try JointReading(
                session: session, noPrompt: noPrompt, reason: reason, purpose: item.shownName, command: command,
                tells: tells
            ).values(of: fields)
        guard values.count == item.fields.count else {
            throw KeychainError(
                .notFound, "\(item.shownName) has expired", advice: "store a new one with: coffer set")
        }
        return ReadFields(item: item, values: zip(item.fields, values.map(\.value)).map { ($0, $1) })
    }

    private func readEach(
        _ fields: [FieldOfItem], _ session: CommandSession
    ) throws(KeychainError) -> [ReadField] {
        guard let first = fields.first else { return [] }
        let password = try session.passwordInput(for: first.item.shownName, noPrompt: noPrompt).present()
        return try fields.map { (field) throws(KeychainError) in
            let found = try session.call(
                ItemCall.read(field.name, ReadRequest(reason: reason, applicationPassword: password)),
                for: field.name.shownField, noPrompt: noPrompt, command: command)
            return ReadField(of: field, found.value, found.attributes)
        }
    }
}

/// The fields of one item that were read together.
struct ReadFields {
    let item: ItemAttributes
    let values: [(field: Field, value: [UInt8])]

    /// A line for each field, `NAME: VALUE`.
    func text(raw: Bool, onTerminal: Bool) -> [UInt8] {
        values.flatMap { field, value in
            Self.text(
                of: value, after: VisibleText.line(field.name.text), raw: raw, onTerminal: onTerminal,
                wayOut: "read it with --field")
        }
    }

    /// A line, `LABEL: VALUE`. The lines of a value of several lines follow the label, indented. Of a value that is not text, or that a terminal would
    /// obey, only the length is given.
    /// - Parameter wayOut: how to read it then.
    static func text(
        of value: [UInt8], after label: String, raw: Bool, onTerminal: Bool, wayOut: String
    ) -> [UInt8] {
        var text = Array("\(label):".utf8)
        let isShown =
            raw || (onTerminal ? TerminalText.isHarmless(value) : String(validating: value, as: UTF8.self) != nil)
        guard isShown else {
            let count = "\(value.count) byte\(value.count == 1 ? "" : "s")"
            return text + Array(" (\(count), not shown here; \(wayOut))\n".utf8)
        }
        let newline = UInt8(ascii: "\n")
        let lines = value.withoutLineEnd.split(separator: newline, omittingEmptySubsequences: false)
        guard lines.count > 1 || value.last == newline else { return text + [UInt8(ascii: " ")] + value + [newline] }
        text.append(newline)
        for line in lines { text += Array("  ".utf8) + line + [newline] }
        return text
    }
}

/// The output of `get --all --json`.
struct FieldRecords: Encodable {
    private struct One: Encodable {
        let name: String
        let kind: FieldKind
        /// Present only if the value is UTF-8.
        let value: String?
        let valueBase64: String
    }

    private let item: ItemDescription
    private let fields: [One]

    init(_ read: ReadFields) {
        item = ItemDescription(read.item)
        fields = read.values.map { field, value in
            One(
                name: field.name.text, kind: field.kind, value: String(validating: value, as: UTF8.self),
                valueBase64: Data(value).base64EncodedString())
        }
    }
}

extension FieldKind: Encodable {}
