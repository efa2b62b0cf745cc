import type { IToken } from 'chevrotain'
import type { Expression } from './ast.js'
import { QueryError } from './query-error.js'
import { keywords, punctuations, stringLiteral } from './tokens.js'
import { between, binary, chain, spanOf, textOf } from './tree.js'
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
      result = this.ACTION(() => ({
        kind: 'conditional',
        condition,
        consequent,
        alternative,
        span: between(condition.span, alternative.span),
      }))
    })
    return result
  })

  private readonly coalesce: Rule<Expression> = this.leftToRight(
    'coalesce',
    () => this.disjunction,
    () => this.CONSUME(punctuations.coalesce),
  )

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
    let operand = this.SUBRULE(this.equality)
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
    const low = this.SUBRULE(this.concatenation)
    this.CONSUME(keywords.and)
    const high = this.SUBRULE2(this.concatenation)
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
    const pattern = this.SUBRULE3(this.concatenation)
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

  private readonly equality: Rule<Expression> = this.leftToRight(
    'equality',
    () => this.relational,
    () => this.CONSUME(punctuations.equality),
  )

  private readonly relational: Rule<Expression> = this.leftToRight(
    'relational',
    () => this.concatenation,
    () => this.CONSUME(punctuations.relational),
  )

  private readonly concatenation: Rule<Expression> = this.leftToRight(
    'concatenation',
    () => this.bitwise,
    () => this.CONSUME(punctuations.concatenate),
  )

  private readonly bitwise: Rule<Expression> = this.leftToRight(
    'bitwise',
    () => this.additive,
    () => this.CONSUME(punctuations.bitwise),
  )

  private readonly additive: Rule<Expression> = this.leftToRight(
    'additive',
    () => this.multiplicative,
    () =>
      this.OR([
        { ALT: () => this.CONSUME(punctuations.plus) },
        { ALT: () => this.CONSUME(punctuations.minus) },
      ]),
  )

  private readonly multiplicative: Rule<Expression> = this.leftToRight(
    'multiplicative',
    () => this.unary,
    () =>
      this.OR([
        { ALT: () => this.CONSUME(punctuations.star) },
        { ALT: () => this.CONSUME(punctuations.divide) },
      ]),
  )

  /**
   * Returns the rule for one level of binary operators. The rule of the next tighter level is passed as a
   * function, because it is declared further down.
   */
  private leftToRight(
    name: string,
    tighter: () => Rule<Expression>,
    consumeOperator: () => IToken,
  ): Rule<Expression> {
    return this.RULE(name, (): Expression => {
      let left = this.SUBRULE(tighter())
      this.MANY(() => {
        const operator = consumeOperator()
        const right = this.SUBRULE2(tighter())
        left = this.ACTION(() => binary(operator, left, right))
      })
      return left
    })
  }
}
