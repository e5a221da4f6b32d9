import Cryptography
import SystemBus

/// Reads the values of a call as what they must be.
extension BusValue {
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var path: String? { if case .path(let path) = self { path } else { nil } }
    var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
    var bytes: SecretBytes? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var descriptor: Int32? { if case .descriptor(let number) = self { number } else { nil } }
    var contents: BusValue? { if case .variant(let value) = self { value } else { nil } }

    /// An array of object paths.
    var paths: [String]? {
        guard case .array(of: "o", let values) = self else { return nil }
        return values.compactMap(\.path)
    }

    /// A dictionary of texts.
    /// - Returns: nil also if a name comes twice, or two names are the same letters in other bytes. The vault would take them for one.
    var dictionary: [String: String]? {
        guard case .array(of: "{ss}", let values) = self else { return nil }
        var found: [String: String] = [:]
        for case .entry(.text(let key), .text(let value)) in values { found[key] = value }
        return found.count == values.count ? found : nil
    }

    /// A dictionary of variants. nil also if a name comes twice.
    var variants: [String: BusValue]? {
        guard case .array(of: "{sv}", let values) = self else { return nil }
        var found: [String: BusValue] = [:]
        for case .entry(.text(let key), .variant(let value)) in values { found[key] = value }
        return found.count == values.count ? found : nil
    }

    static func dictionary(_ texts: [String: String]) -> BusValue {
        .array(of: "{ss}", texts.map { .entry(.text($0.key), .text($0.value)) })
    }
}
