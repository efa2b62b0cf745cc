import type { Expression } from './ast.js'
import { grouped, type Link } from './operator-chain.js'
import { QueryError } from './query-error.js'
import { binaryOperator, keywords, punctuations, stringLiteral } from './tokens.js'
import { between, binary, chain, conditional, spanOf, textOf } from './tree.js'
import { PrimaryParser, type Rule } from './primary-parser.js'

/**
 * The grammar of expressions, from the loosest binding to the tightest. Trees are built only inside ACTION,
 * because the parser runs its rules once without tokens to learn the grammar.
 */
export abstract class ExpressionParser extends PrimaryParser {
  protected readonly expression: Rule<Expression> = this.RULE('expression', (): Expression => {
    const condition = this.SUBRULE(this.coalesce)
    let result = condition
    this.OPTION(() => {
      this.CONSUME(punctuations.question)
      const consequent = this.SUBRULE(this.expression)
      this.CONSUME(punctuations.colon)
      const alternative = this.SUBRULE2(this.expression)
      result = this.ACTION(() => conditional(condition, consequent, alternative))
    })
    return result
  })

  private readonly coalesce: Rule<Expression> = this.RULE('coalesce', (): Expression => {
    let left = this.SUBRULE(this.disjunction)
    this.MANY(() => {
      const operator = this.CONSUME(punctuations.coalesce)
      const right = this.SUBRULE2(this.disjunction)
      left = this.ACTION(() => binary(operator, left, right))
    })
    return left
  })

  private readonly disjunction: Rule<Expression> = this.RULE('disjunction', (): Expression => {
    const operands = [this.SUBRULE(this.conjunction)]
    this.MANY(() => {
      this.CONSUME(keywords.or)
      operands.push(this.SUBRULE2(this.conjunction))
    })
    return this.ACTION(() => chain('OR', operands))
  })

  private readonly conjunction: Rule<Expression> = this.RULE('conjunction', (): Expression => {
    const operands = [this.SUBRULE(this.predicate)]
    this.MANY(() => {
      this.CONSUME(keywords.and)
      operands.push(this.SUBRULE2(this.predicate))
    })
    return this.ACTION(() => chain('AND', operands))
  })

  private readonly predicate: Rule<Expression> = this.RULE('predicate', (): Expression => {
    let operand = this.SUBRULE(this.operators)
    this.OPTION(() => {
      const not = this.OPTION2(() => this.CONSUME(keywords.not))
      const test = this.OR([
        { ALT: () => this.inList(operand) },
        { ALT: () => this.betweenBounds(operand) },
        { ALT: () => this.likePattern(operand) },
      ])
      operand = this.ACTION(() =>
        not === undefined ? test : { kind: 'unary', operator: 'NOT', operand: test, span: test.span },
      )
    })
    return operand
  })

  private inList(needle: Expression): Expression {
    this.CONSUME(keywords.in)
    this.CONSUME(punctuations.openParenthesis)
    const items: Expression[] = []
    this.AT_LEAST_ONE_SEP({
      SEP: punctuations.comma,
      DEF: () => {
        items.push(this.SUBRULE(this.expression))
      },
    })
    const end = this.CONSUME(punctuations.closeParenthesis)
    return this.ACTION(() => ({ kind: 'in', needle, items, span: between(needle.span, spanOf(end)) }))
  }

  private betweenBounds(operand: Expression): Expression {
    this.CONSUME(keywords.between)
    const low = this.SUBRULE2(this.operators)
    this.CONSUME(keywords.and)
    const high = this.SUBRULE3(this.operators)
    return this.ACTION(() => ({
      kind: 'between',
      operand,
      low,
      high,
      span: between(operand.span, high.span),
    }))
  }

  private likePattern(operand: Expression): Expression {
    this.CONSUME(keywords.like)
    const pattern = this.SUBRULE4(this.operators)
    let end = pattern.span
    let escape: string | undefined
    this.OPTION3(() => {
      this.CONSUME(keywords.escape)
      const token = this.CONSUME(stringLiteral)
      this.ACTION(() => {
        end = spanOf(token)
        escape = textOf(token)
        if (escape.length !== 1) throw new QueryError('SC1001', 'ESCAPE takes one character.', end)
      })
    })
    return this.ACTION(() => ({ kind: 'like', operand, pattern, escape, span: between(operand.span, end) }))
  }

  private readonly operators: Rule<Expression> = this.RULE('operators', (): Expression => {
    const first = this.SUBRULE(this.unary)
    const links: Link[] = []
    this.MANY(() => {
      const operator = this.CONSUME(binaryOperator)
      links.push({ operator, operand: this.SUBRULE2(this.unary) })
    })
    return this.ACTION(() => grouped(first, links))
  })
}
