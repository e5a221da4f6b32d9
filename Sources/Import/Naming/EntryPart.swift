import HelperProtocol
import Item

/// A further secret of an entry, which becomes a named field.
struct EntryPart: Equatable {
    /// As the file has it.
    let name: String
    let kind: FieldKind
    let value: [UInt8]

    private init(_ name: String, _ text: String, _ kind: FieldKind? = nil) {
        self.name = name
        value = Array(text.utf8)
        self.kind = kind ?? Self.kind(of: value, text)
    }

    /// The field of this name, as far as a field can have it.
    var fieldName: FieldName {
        // `coffer otp` takes the field otp for a seed.
        let usual = Self.normalised(name)
        return usual == .otp && kind != .otp ? Self.normalised("otp value") : usual
    }

    /// Text has several lines. What `coffer otp` can use is a seed. The name does not matter for either.
    private static func kind(of value: [UInt8], _ text: String) -> FieldKind {
        do throws(OneTimeSeed.Mistake) {
            _ = try OneTimeSeed(stored: value)
            return .otp
        } catch {
            // Every other value is no seed.
            return text.contains(where: \.isNewline) ? .text : .secret
        }
    }

    static func all(of entry: ImportEntry, _ addresses: [ImportEntry.Field], _ service: String) -> [EntryPart] {
        var parts: [EntryPart] = []
        if !entry.note.isEmpty { parts.append(EntryPart(FieldName.notes.text, entry.note, .text)) }
        if !entry.oneTimePassword.isEmpty {
            do throws(OneTimeSeed.Mistake) {
                let seed = try OneTimeSeed(reading: Array(entry.oneTimePassword.utf8))
                parts.append(
                    EntryPart(
                        FieldName.otp.text, seed.address(issuer: service, account: entry.userName), .otp))
            } catch {
                // A seed of another kind, such as Steam's, is kept as it is.
                parts.append(EntryPart("seed", entry.oneTimePassword, .secret))
            }
        }
        parts += entry.fields.filter { !$0.value.isEmpty }.map {
            EntryPart($0.name.isEmpty ? Self.unnamed : $0.name, $0.value)
        }
        return parts + addresses.map { EntryPart($0.name, $0.value, .secret) }
    }

    private static let unnamed = "field"

    /// A name without control characters and blanks at its ends, as long as a field's name can be.
    private static func normalised(_ text: String) -> FieldName {
        let visible = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
        return FieldName(cut(visible.trimmingSpaces, to: ItemLimits.fieldName).trimmingSpaces) ?? .unnamed
    }

    /// The name with a number, as long as a field's name can be.
    static func numbered(_ name: FieldName, _ number: Int) -> FieldName {
        let end = "#\(number)"
        return FieldName(cut(name.text, to: ItemLimits.fieldName - end.utf8.count) + end) ?? .unnamed
    }

    /// Whole characters only.
    private static func cut(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var cut = ""
        var count = 0
        for character in text {
            count += character.utf8.count
            guard count <= limit else { break }
            cut.append(character)
        }
        return cut
    }
}

extension FieldName {
    fileprivate static let unnamed: FieldName = "field"
}
