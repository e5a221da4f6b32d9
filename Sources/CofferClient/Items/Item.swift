// What an item is has a module of its own, which every layer shares. Applications import this one.
@_exported import Item

/// The name of ``ItemKind`` that follows Apple's `kSecClass`.
///
/// ```swift
/// for itemClass in ItemClass.allCases { print(itemClass.rawValue) }
/// ```
public typealias ItemClass = ItemKind
