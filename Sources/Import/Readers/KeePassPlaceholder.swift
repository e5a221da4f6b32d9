/// What KeePassXC writes that is not meant as it stands.
enum KeePassPlaceholder {
    /// Fields of the same entry, in capitals.
    static let all: Set<String> = ["{TITLE}", "{USERNAME}", "{PASSWORD}", "{URL}", "{NOTES}", "{TOTP}"]

    /// The names of the recycle bin in the languages of KeePassXC that are used most, in lower case.
    private static let recycleBins: Set<String> = [
        "recycle bin", "papierkorb", "corbeille", "papelera", "papelera de reciclaje", "cestino", "lixeira",
        "reciclagem",
        "prullenbak", "kosz", "koš", "корзина", "кошик", "papperskorg", "papirkurv", "papirkurven", "roskakori",
        "lomtár",
        "çöp kutusu", "geri dönüşüm kutusu", "ゴミ箱", "回收站", "資源回收桶", "휴지통",
    ]

    /// - Parameter group: the names of the groups from the root on, with slashes between them.
    static func isRecycleBin(_ group: String) -> Bool {
        // The bin is a group of the root, and may hold further groups.
        group.split(separator: "/").prefix(2).contains { recycleBins.contains($0.lowercased()) }
    }
}
