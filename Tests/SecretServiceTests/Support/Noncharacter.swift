/// The noncharacters of Unicode that no literal of Swift takes are between these two.
enum Noncharacter {
    /// U+FDD0.
    static let first = String(decoding: [0xEF, 0xB7, 0x90], as: UTF8.self)
    /// U+FDEF.
    static let last = String(decoding: [0xEF, 0xB7, 0xAF], as: UTF8.self)
}
