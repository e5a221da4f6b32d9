/// How the pages of this repository write numbers.
public enum PageWords {
    /// For example `10,000`.
    public static func count(_ number: Int) -> String {
        var (digits, groups) = (String(number), [String]())
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return ([digits] + groups).joined(separator: ",")
    }

    /// For example `2 MiB`. A size that is no whole number of these stays a number of bytes.
    public static func size(_ bytes: Int) -> String {
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] where bytes > 0 && bytes % (1 << shift) == 0 {
            return "\(bytes >> shift) \(unit)"
        }
        return "\(count(bytes)) bytes"
    }

    /// The whole seconds of a time.
    public static func seconds(_ time: Duration) -> String {
        time.components.attoseconds == 0 ? "\(time.components.seconds)" : "\(time)"
    }
}
