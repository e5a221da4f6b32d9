extension String {
    /// The text of a prompt without the line breaks that only keep its lines short.
    var unbroken: String { replacing("\n   ", with: "") }
}
