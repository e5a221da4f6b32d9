import SwiftSyntax

/// Finds the places of a file where a careless person errs. Many of the mistakes do not compile; the build that they share leaves those out.
final class MistakeFinder: SyntaxVisitor {
    private let file: String
    private(set) var found: [Mistake] = []

    /// What a call that takes care of something is named after.
    private static let care = [
        "wipe", "zero", "sync", "close", "check", "verify", "require", "validate", "shutdown", "chmod", "chown",
        "unlock", "release", "remove",
    ]
    private static let shifts = ["<": "<=", "<=": "<", ">": ">=", ">=": ">", "..<": "...", "...": "..<"]

    init(file: String) {
        self.file = file
        super.init(viewMode: .sourceAccurate)
    }

    private func add(_ kind: Mistake.Kind, _ node: some SyntaxProtocol, _ instead: String) {
        add(
            kind, node.positionAfterSkippingLeadingTrivia.utf8Offset, node.endPositionBeforeTrailingTrivia.utf8Offset,
            instead)
    }

    private func add(_ kind: Mistake.Kind, _ start: Int, _ end: Int, _ instead: String) {
        found.append(Mistake(kind: kind, file: file, start: start, end: end, instead: instead))
    }

    // MARK: Conditions

    override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
        if case .expression(let condition) = node.condition {
            let text = condition.trimmedDescription
            add(
                .negated, condition,
                text.hasPrefix("!") && !text.contains(" ") ? String(text.dropFirst()) : "!(\(text))")
        }
        return .visitChildren
    }

    override func visit(_ node: BinaryOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        let text = node.operator.text
        if let other = Self.shifts[text] { add(.shifted, node, other) }
        // A condition as a whole is negated already.
        if ["==", "!="].contains(text), node.ancestor(ConditionElementSyntax.self) == nil {
            add(.negated, node, text == "==" ? "!=" : "==")
        }
        return .visitChildren
    }

    // MARK: Constants

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        let text = node.literal.text.replacing("_", with: "")
        let value = text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
        if let value, value > 0, value < 1 << 40 {
            add(.halved, node, "\(value / 2)")
            add(.doubled, node, "\(value * 2)")
        }
        return .skipChildren
    }

    // What is no value of the program.
    override func visit(_: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: AvailabilityConditionSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    // MARK: Statements

    override func visit(_ list: CodeBlockItemListSyntax) -> SyntaxVisitorContinueKind {
        let items = Array(list)
        for item in items { consider(item) }
        for (one, next) in zip(items, items.dropFirst())
        where one.isAction && next.isAction && !one.isInitialization && !next.isInitialization
            && !one.commutes(with: next)
        {
            let start = one.positionAfterSkippingLeadingTrivia.utf8Offset
            let end = next.endPositionBeforeTrailingTrivia.utf8Offset
            let (first, second) = (one.trimmedDescription, next.trimmedDescription)
            // What stands between them stays: line breaks and comments.
            let between = one.trailingTrivia.description + next.leadingTrivia.description
            if first != second { add(.swapped, start, end, second + between + first) }
        }
        return .visitChildren
    }

    private func consider(_ item: CodeBlockItemSyntax) {
        switch item.item {
        case .stmt(let statement):
            if let condition = statement.as(GuardStmtSyntax.self), condition.conditions.bindNothing {
                add(.unguarded, item, item.replacement)
            } else if statement.is(DeferStmtSyntax.self) {
                add(.uncared, item, item.replacement)
            } else if let expression = statement.as(ExpressionStmtSyntax.self)?.expression {
                consider(item, expression)
            }
        case .expr(let expression): consider(item, expression)
        case .decl: break
        }
    }

    private func consider(_ item: CodeBlockItemSyntax, _ expression: ExprSyntax) {
        if let condition = expression.as(IfExprSyntax.self) {
            if condition.elseBody == nil, condition.conditions.bindNothing, condition.body.leaves {
                add(.unguarded, item, item.replacement)
            }
            return
        }
        guard item.isAction, !item.isInitialization else { return }
        let name = expression.calledName.lowercased()
        if !item.isValue {
            add(Self.care.contains { name.contains($0) } ? .uncared : .dropped, item, item.replacement)
        }
        let text = expression.trimmedDescription
        // The mistake is a `try?` without a reason.
        if let start = text.firstRange(of: "try "), expression.isTry {
            let quiet = text.replacingCharacters(in: start, with: "try? ")
            add(.swallowed, item, text.hasPrefix("_ = ") ? quiet : "_ = \(quiet)")
        }
    }

    override func visit(_ node: CatchClauseSyntax) -> SyntaxVisitorContinueKind {
        if !node.body.statements.isEmpty { add(.swallowed, node.body, "{}") }
        return .visitChildren
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + self[range.upperBound...]
    }
}
