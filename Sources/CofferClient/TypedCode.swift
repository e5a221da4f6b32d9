/// What a person has typed to add something to a circle: the code of a machine, or one on paper.
package struct TypedCode: Sendable {
    package let text: String
    /// Whether the machine must have proved that its keys are in a TPM of root's list.
    package let isAttested: Bool

    package init(_ text: String, isAttested: Bool = false) {
        (self.text, self.isAttested) = (text, isAttested)
    }
}
