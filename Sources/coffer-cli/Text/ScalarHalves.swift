extension String {
    /// What is before and after the first such sign; nil without one. For Unicode, a sign and an accent after it are
    /// one character, which is another sign. So scalars are compared.
    func halves(at sign: Unicode.Scalar) -> (before: String, after: String)? {
        let scalars = unicodeScalars
        guard let place = scalars.firstIndex(of: sign) else { return nil }
        return (String(scalars[..<place]), String(scalars[scalars.index(after: place)...]))
    }
}
