/// What keeps changes from travelling, told once. A journal has a line for each change of it, and none for each try.
struct ToldOnce {
    private var last: String?
    private var hasWorked = false

    /// - Parameter obstacle: nil if there is none.
    /// - Returns: what to tell now; nil if it is known.
    mutating func line(_ obstacle: String?, working: String) -> String? {
        guard let obstacle else {
            defer { (last, hasWorked) = (nil, true) }
            return last != nil || !hasWorked ? working : nil
        }
        guard obstacle != last else { return nil }
        last = obstacle
        return obstacle
    }
}
