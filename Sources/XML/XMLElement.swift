/// A part of a document, with what is in it. Attributes are left out.
package struct XMLElement: Sendable, Equatable {
    /// Without its prefix.
    package let name: String
    /// What its prefix, or none, stands for by its own attributes. The outermost part has it, or none has.
    package let namespace: String
    /// What stands in it, without what stands in its children.
    package internal(set) var text = ""
    package internal(set) var children: [XMLElement] = []

    init(name: String, namespace: String) { (self.name, self.namespace) = (name, namespace) }

    package func children(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

    /// The first one of this name.
    package subscript(name: String) -> XMLElement? { children.first { $0.name == name } }
}
