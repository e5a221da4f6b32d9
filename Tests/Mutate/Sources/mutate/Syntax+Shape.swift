import SwiftSyntax

extension SyntaxProtocol {
    func ancestor<Node: SyntaxProtocol>(_ type: Node.Type) -> Node? {
        var node = parent
        while let here = node {
            if let found = here.as(Node.self) { return found }
            // A closure in a condition has statements of its own.
            if here.is(CodeBlockItemListSyntax.self) { return nil }
            node = here.parent
        }
        return nil
    }
}

extension ConditionElementListSyntax {
    /// Whether nothing that follows can need these conditions.
    var bindNothing: Bool {
        allSatisfy { if case .expression = $0.condition { true } else { false } }
    }
}

extension CodeBlockSyntax {
    /// Whether its last statement leaves the code around it.
    var leaves: Bool {
        guard case .stmt(let last) = statements.last?.item else { return false }
        return last.is(ThrowStmtSyntax.self) || last.is(ReturnStmtSyntax.self) || last.is(ContinueStmtSyntax.self)
            || last.is(BreakStmtSyntax.self)
    }
}

extension CodeBlockItemSyntax {
    /// Whether it does something and gives nothing: a call, or an assignment.
    var isAction: Bool {
        let expression: ExprSyntax? =
            switch item {
            case .expr(let expression): expression
            case .stmt(let statement): statement.as(ExpressionStmtSyntax.self)?.expression
            case .decl: nil
            }
        return expression?.isAction ?? false
    }

    /// Whether it gives a property of a new value its content. Without it nothing compiles.
    var isInitialization: Bool {
        guard trimmedDescription.hasPrefix("self.") else { return false }
        var node = parent
        while let here = node {
            if here.is(InitializerDeclSyntax.self) { return true }
            if here.is(FunctionDeclSyntax.self) || here.is(ClosureExprSyntax.self) { return false }
            node = here.parent
        }
        return false
    }

    /// Whether the order of the two cannot matter: each changes one variable, which the other does not name, and nothing else happens.
    func commutes(with other: CodeBlockItemSyntax) -> Bool {
        guard let one = changedVariable, let next = other.changedVariable else { return false }
        return !other.names.contains(one) && !names.contains(next)
    }

    private var names: Set<String> { Set(tokens(viewMode: .sourceAccurate).map(\.text)) }

    /// The one variable that the statement changes; nil if it can leave, wait, or call what may do more.
    private var changedVariable: String? {
        let finder = EffectFinder(viewMode: .sourceAccurate)
        finder.walk(self)
        guard !finder.hasEffects else { return nil }
        var words = tokens(viewMode: .sourceAccurate).makeIterator()
        let first = words.next()
        guard first?.tokenKind == .keyword(.self) else { return first?.isName ?? false ? first?.text : nil }
        return words.next()?.tokenKind == .period ? words.next()?.text : nil
    }

    private var isAlone: Bool { parent?.as(CodeBlockItemListSyntax.self)?.count == 1 }

    /// Whether it is the value of a function or accessor that has nothing else.
    var isValue: Bool {
        guard isAlone, let around = parent?.parent else { return false }
        if around.is(AccessorBlockSyntax.self) { return true }
        let function = around.is(CodeBlockSyntax.self) ? around.parent : nil
        if let accessor = function?.as(AccessorDeclSyntax.self) {
            return accessor.accessorSpecifier.tokenKind == .keyword(.get)
        }
        return function?.as(FunctionDeclSyntax.self)?.signature.returnClause != nil
    }

    /// What takes its place when it is dropped. A case of a switch must not be empty.
    var replacement: String { isAlone && parent?.parent?.is(SwitchCaseSyntax.self) ?? false ? "break" : "" }
}

extension TokenSyntax {
    fileprivate var isName: Bool { if case .identifier = tokenKind { true } else { false } }
}

extension ExprSyntax {
    /// Without `try`, `await` and `unsafe` before it.
    fileprivate var core: ExprSyntax {
        if let inner = self.as(TryExprSyntax.self)?.expression { return inner.core }
        if let inner = self.as(AwaitExprSyntax.self)?.expression { return inner.core }
        if let inner = self.as(UnsafeExprSyntax.self)?.expression { return inner.core }
        return self
    }

    private var hasAssignment: Bool {
        guard let sequence = core.as(SequenceExprSyntax.self) else { return false }
        return sequence.elements.contains { element in
            element.is(AssignmentExprSyntax.self)
                || element.as(BinaryOperatorExprSyntax.self).map {
                    ["+=", "-=", "|=", "&=", "^=", "*="].contains($0.operator.text)
                }
                    ?? false
        }
    }

    var isAction: Bool { core.is(FunctionCallExprSyntax.self) || hasAssignment }

    /// Whether an error goes through it to the outside.
    var isTry: Bool {
        if let attempt = self.as(TryExprSyntax.self) { return attempt.questionOrExclamationMark == nil }
        guard let sequence = core.as(SequenceExprSyntax.self), let last = sequence.elements.last,
            sequence.elements.first?.is(DiscardAssignmentExprSyntax.self) ?? false
        else { return false }
        return last.isTry
    }

    /// The name of the function that it calls; empty for none.
    var calledName: String {
        let inner = core
        if let call = inner.as(FunctionCallExprSyntax.self) {
            if let member = call.calledExpression.as(MemberAccessExprSyntax.self) {
                return member.declName.baseName.text
            }
            return call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text ?? ""
        }
        return inner.as(SequenceExprSyntax.self)?.elements.last?.calledName ?? ""
    }
}
