/// Finds several byte strings at once in a stream (Aho and Corasick, 1975). It knows at each byte how much of the stream could still be the beginning of one of them.
struct SecretMatcher: Sendable {
    /// A state: the longest end of what was read that begins one of the strings.
    struct State: Sendable, Equatable {
        fileprivate var node: Int32 = 0
    }

    private struct Node: Sendable {
        var byte: UInt8
        var depth: Int32
        /// The longest proper end of this node's string that is a node, too.
        var fallback: Int32 = 0
        /// The length of the longest string that ends here; 0 for none.
        var match: Int32 = 0
        var firstChild: Int32 = -1
        var nextSibling: Int32 = -1
    }

    private var nodes = [Node(byte: 0, depth: 0)]
    /// The nodes for the first byte of a string, because most bytes of a stream are looked up only here.
    private var first = [Int32](repeating: 0, count: 256)

    /// - Parameter strings: an empty one is passed over.
    init(_ strings: [[UInt8]]) {
        for string in strings where !string.isEmpty { add(string) }
        for child in children(of: 0) { first[Int(nodes[Int(child)].byte)] = child }
        linkFallbacks()
    }

    private mutating func add(_ string: [UInt8]) {
        var node: Int32 = 0
        for byte in string {
            if let child = child(of: node, byte) {
                node = child
            } else {
                let child = Int32(nodes.count)
                var new = Node(byte: byte, depth: nodes[Int(node)].depth + 1)
                new.nextSibling = nodes[Int(node)].firstChild
                nodes.append(new)
                nodes[Int(node)].firstChild = child
                node = child
            }
        }
        nodes[Int(node)].match = Int32(string.count)
    }

    private func children(of node: Int32) -> [Int32] {
        var found: [Int32] = []
        var child = nodes[Int(node)].firstChild
        while child >= 0 {
            found.append(child)
            child = nodes[Int(child)].nextSibling
        }
        return found
    }

    private func child(of node: Int32, _ byte: UInt8) -> Int32? {
        var child = nodes[Int(node)].firstChild
        while child >= 0 {
            if nodes[Int(child)].byte == byte { return child }
            child = nodes[Int(child)].nextSibling
        }
        return nil
    }

    /// The strings level by level: a fallback is always shorter.
    private mutating func linkFallbacks() {
        var level = children(of: 0)
        while !level.isEmpty {
            var next: [Int32] = []
            for parent in level {
                for child in children(of: parent) {
                    let fallback = step(from: nodes[Int(parent)].fallback, nodes[Int(child)].byte)
                    nodes[Int(child)].fallback = fallback
                    nodes[Int(child)].match = max(nodes[Int(child)].match, nodes[Int(fallback)].match)
                    next.append(child)
                }
            }
            level = next
        }
    }

    private func step(from start: Int32, _ byte: UInt8) -> Int32 {
        var node = start
        while node != 0 {
            if let child = child(of: node, byte) { return child }
            node = nodes[Int(node)].fallback
        }
        return first[Int(byte)]
    }

    /// Reads one byte.
    /// - Returns: the length of the longest string that ends with it; 0 for none.
    func read(_ byte: UInt8, _ state: inout State) -> Int {
        state.node = step(from: state.node, byte)
        return Int(nodes[Int(state.node)].match)
    }

    /// How many of the bytes read last could be the beginning of a string.
    func open(_ state: State) -> Int { Int(nodes[Int(state.node)].depth) }
}
