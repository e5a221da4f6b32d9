/// An argument of a method on the bus.
public enum BusValue: Sendable, Equatable {
    case text(String)
    case number(UInt32)
    case signedNumber(Int32)
    case flag(Bool)
    /// An array of strings.
    case texts([String])
    /// A dictionary from names to variants. Its values must be plain ones.
    case options([String: BusValue])

    /// The type's letter in a signature; nil if the type is not a plain one.
    var plainSignature: String? {
        switch self {
        case .text: "s"
        case .number: "u"
        case .signedNumber: "i"
        case .flag: "b"
        case .texts, .options: nil
        }
    }
}
