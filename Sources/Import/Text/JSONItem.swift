import FoundationEssentials

/// A part of a JSON file that is either read or names the field that cannot be read. One bad item does not hide the others.
struct JSONItem<Content: Decodable>: Decodable {
    let content: Content?
    /// Why there is no content. It names fields, and no values.
    let problem: String?

    init(from decoder: any Decoder) {
        do {
            content = try Content(from: decoder)
            problem = nil
        } catch {
            content = nil
            problem = JSONProblem.reason(error, below: decoder.codingPath.count)
        }
    }
}

/// A decoder's error without what it quotes of the file.
enum JSONProblem {
    /// - Parameter below: how many parts of the path are not shown.
    static func reason(_ error: any Error, below count: Int = 0) -> String {
        guard let error = error as? DecodingError else { return "it cannot be read" }
        func field(_ path: [any CodingKey]) -> String {
            let names = path.dropFirst(count).map { $0.intValue.map { "\($0 + 1)" } ?? $0.stringValue }
            return names.isEmpty ? "it" : "its field \(names.joined(separator: "."))"
        }
        switch error {
        case .keyNotFound(let key, let context): return "\(field(context.codingPath + [key])) is missing"
        case .valueNotFound(_, let context): return "\(field(context.codingPath)) is null"
        case .typeMismatch(_, let context): return "\(field(context.codingPath)) is of another type"
        case .dataCorrupted(let context):
            return context.codingPath.count > count ? "\(field(context.codingPath)) is damaged" : "it is not JSON"
        @unknown default: return "it cannot be read"
        }
    }

    static func decode<Content: Decodable>(
        _ type: Content.Type, _ bytes: ArraySlice<UInt8>, expected: String
    ) throws(UnreadableFile) -> Content {
        do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch {
            throw UnreadableFile("it is no \(expected): \(reason(error))", advice: "export it again")
        }
    }
}
