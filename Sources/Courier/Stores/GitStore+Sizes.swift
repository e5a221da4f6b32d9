import Circle

extension GitStore {
    /// What was written since the commit was read has no length here. It is as Coffer wrote it.
    package func sizes(of paths: [StorePath]) throws(StoreError) -> [StorePath: Int] {
        let asked = Set(paths).subtracting(written().keys)
        var sizes: [StorePath: Int] = [:]
        for place in Set(asked.map { $0.text.split(separator: "/").prefix(2).joined(separator: "/") }) {
            for entry in try entries(in: place, isDeep: true) {
                guard let path = StorePath(entry.path), asked.contains(path) else { continue }
                sizes[path] = entry.isFile ? entry.size : 0
            }
        }
        return sizes
    }
}
