import SwiftSyntax

/// Whether a statement can do more than change the variable that it begins with.
final class EffectFinder: SyntaxVisitor {
    private(set) var hasEffects = false

    /// Calls of the standard library that change their own variable, or nothing.
    private static let harmless: Set<String> = [
        "append", "insert", "formUnion", "subtract", "removeValue", "removeAll", "removeLast", "reserveCapacity",
        "map", "filter", "flatMap", "prefix", "dropFirst", "contains", "joined",
    ]

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        let name = ExprSyntax(node).calledName
        // A new value, or a call of something else than `self`.
        let isInitializer = name.first?.isUppercase ?? false
        let isHarmless = node.calledExpression.is(MemberAccessExprSyntax.self) && Self.harmless.contains(name)
        if !isInitializer && !isHarmless { hasEffects = true }
        return .visitChildren
    }

    override func visit(_ node: TokenSyntax) -> SyntaxVisitorContinueKind {
        switch node.tokenKind {
        case .keyword(.try), .keyword(.await), .keyword(.consume), .keyword(.unsafe): hasEffects = true
        default: break
        }
        return .visitChildren
    }
}
