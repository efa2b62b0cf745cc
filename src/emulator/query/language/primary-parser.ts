import type { IToken, ParserMethod } from 'chevrotain'
import type { Expression, ParameterReference, Query, SubqueryForm } from './ast.js'
import { EmbeddedActionsParser } from './parser-library.js'
import { notSupported, QueryError } from './query-error.js'
import {
  identifier,
  keywords,
  numberLiteral,
  parameter,
  punctuations,
  stringLiteral,
  vocabulary,
} from './tokens.js'
import { between, literalValue, spanOf, textOf } from './tree.js'

const subqueryForms: ReadonlySet<string> = new Set<SubqueryForm>(['EXISTS', 'ARRAY', 'FIRST', 'LAST', 'ALL'])

/** Returns the subquery that follows a name such as EXISTS. Refuses any other name before a query. */
function subquery(name: IToken, query: Query): Expression {
  const form = name.image.toUpperCase()
  const isForm = (text: string): text is SubqueryForm => subqueryForms.has(text)
  if (!isForm(form))
    throw new QueryError('SC1001', "Syntax error, incorrect syntax near 'SELECT'.", query.span)
  return { kind: 'subquery', form, query, span: query.span }
}

/** A rule of the grammar that builds a part of the tree. */
export type Rule<T> = ParserMethod<[], T>

/**
 * The tightest-binding part of the grammar of expressions: unary operators, members, literals, names and
 * calls. Trees are built only inside ACTION, because the parser runs its rules once without tokens to learn
 * the grammar.
 */
export abstract class PrimaryParser extends EmbeddedActionsParser {
  /** @param isChecked whether the grammar is checked for ambiguities. A test does this, because it takes longer than a query. */
  constructor(isChecked = false) {
    super(vocabulary, { maxLookahead: 2, recoveryEnabled: false, skipValidations: !isChecked })
  }

  protected abstract readonly expression: Rule<Expression>
  abstract readonly query: Rule<Query>

  protected readonly unary: Rule<Expression> = this.RULE('unary', (): Expression =>
    this.OR<Expression>([
      { ALT: () => this.SUBRULE(this.member) },
      {
        ALT: () => {
          const token = this.OR2([
            { ALT: () => this.CONSUME(keywords.not) },
            { ALT: () => this.CONSUME(punctuations.minus) },
            { ALT: () => this.CONSUME(punctuations.plus) },
            { ALT: () => this.CONSUME(punctuations.complement) },
          ])
          const operand = this.SUBRULE(this.unary)
          return this.ACTION((): Expression => {
            const span = between(spanOf(token), operand.span)
            if (token.tokenType === keywords.not) return { kind: 'unary', operator: 'NOT', operand, span }
            const operator = token.image === '~' ? '~' : token.image === '-' ? '-' : '+'
            return { kind: 'unary', operator, operand, span }
          })
        },
      },
    ]),
  )

  private readonly member: Rule<Expression> = this.RULE('member', (): Expression => {
    let object = this.SUBRULE(this.primary)
    this.MANY(() => {
      this.OR([
        {
          ALT: () => {
            this.CONSUME(punctuations.dot)
            const name = this.SUBRULE(this.propertyName)
            object = this.ACTION(() => {
              const key: Expression = { kind: 'literal', value: name.image, span: spanOf(name) }
              return { kind: 'member', object, key, span: between(object.span, key.span) }
            })
          },
        },
        {
          ALT: () => {
            this.CONSUME(punctuations.openBracket)
            const key = this.SUBRULE(this.expression)
            const end = this.CONSUME(punctuations.closeBracket)
            object = this.ACTION(() => ({
              kind: 'member',
              object,
              key,
              span: between(object.span, spanOf(end)),
            }))
          },
        },
      ])
    })
    return object
  })

  /**
   * The service refuses reserved words after a dot (`c.order` must be written `c["order"]`). OFFSET, LIMIT
   * and ESCAPE were reserved later, so they are still allowed there.
   */
  protected readonly propertyName: Rule<IToken> = this.RULE('propertyName', (): IToken =>
    this.OR([
      { ALT: () => this.CONSUME(identifier) },
      { ALT: () => this.CONSUME(keywords.offset) },
      { ALT: () => this.CONSUME(keywords.limit) },
      { ALT: () => this.CONSUME(keywords.escape) },
    ]),
  )

  private readonly primary: Rule<Expression> = this.RULE('primary', (): Expression =>
    this.OR([
      { ALT: () => this.SUBRULE(this.literal) },
      { ALT: () => this.SUBRULE(this.parameterReference) },
      { ALT: () => this.SUBRULE(this.nameOrCall) },
      { ALT: () => this.SUBRULE(this.parenthesized) },
      { ALT: () => this.SUBRULE(this.objectLiteral) },
      { ALT: () => this.SUBRULE(this.arrayLiteral) },
      { ALT: () => this.SUBRULE(this.keywordSubquery) },
      { ALT: () => this.SUBRULE(this.unsupportedPrimary) },
    ]),
  )

  private readonly literal: Rule<Expression> = this.RULE('literal', (): Expression => {
    const token = this.OR([
      { ALT: () => this.CONSUME(numberLiteral) },
      { ALT: () => this.CONSUME(stringLiteral) },
      { ALT: () => this.CONSUME(keywords.true) },
      { ALT: () => this.CONSUME(keywords.false) },
      { ALT: () => this.CONSUME(keywords.null) },
      { ALT: () => this.CONSUME(keywords.undefined) },
    ])
    return this.ACTION(() => ({ kind: 'literal', value: literalValue(token), span: spanOf(token) }))
  })

  protected readonly parameterReference: Rule<ParameterReference> = this.RULE(
    'parameterReference',
    (): ParameterReference => {
      const token = this.CONSUME(parameter)
      return this.ACTION(() => ({ kind: 'parameter', name: token.image, span: spanOf(token) }))
    },
  )

  private readonly nameOrCall: Rule<Expression> = this.RULE('nameOrCall', (): Expression => {
    const name = this.CONSUME(identifier)
    let result = this.ACTION((): Expression => ({ kind: 'source', name: name.image, span: spanOf(name) }))
    this.OPTION(() => {
      this.CONSUME(punctuations.openParenthesis)
      result = this.OR([
        {
          ALT: () => {
            const query = this.SUBRULE(this.query)
            return this.ACTION(() => subquery(name, query))
          },
        },
        {
          ALT: () => {
            const items = this.SUBRULE(this.expressions)
            return this.ACTION((): Expression => ({
              kind: 'call',
              name: name.image,
              arguments: items,
              span: spanOf(name),
            }))
          },
        },
      ])
      const end = this.CONSUME(punctuations.closeParenthesis)
      this.ACTION(() => {
        result = { ...result, span: between(spanOf(name), spanOf(end)) }
      })
    })
    return result
  })

  private readonly expressions: Rule<Expression[]> = this.RULE('expressions', (): Expression[] => {
    const items: Expression[] = []
    this.MANY_SEP({
      SEP: punctuations.comma,
      DEF: () => {
        items.push(this.SUBRULE(this.expression))
      },
    })
    return items
  })

  private readonly parenthesized: Rule<Expression> = this.RULE('parenthesized', (): Expression => {
    const start = this.CONSUME(punctuations.openParenthesis)
    const inner = this.OR<Expression>([
      {
        ALT: () => {
          const query = this.SUBRULE(this.query)
          return this.ACTION(() => ({ kind: 'subquery', form: 'scalar', query, span: query.span }))
        },
      },
      { ALT: () => this.SUBRULE(this.expression) },
    ])
    const end = this.CONSUME(punctuations.closeParenthesis)
    return this.ACTION(() => ({ kind: 'parenthesized', inner, span: between(spanOf(start), spanOf(end)) }))
  })

  private readonly objectLiteral: Rule<Expression> = this.RULE('objectLiteral', (): Expression => {
    const start = this.CONSUME(punctuations.openBrace)
    const properties: { name: string; value: Expression }[] = []
    this.MANY_SEP({
      SEP: punctuations.comma,
      DEF: () => {
        const key = this.OR([
          { ALT: () => this.CONSUME(stringLiteral) },
          { ALT: () => this.SUBRULE(this.propertyName) },
        ])
        this.CONSUME(punctuations.colon)
        const value = this.SUBRULE(this.expression)
        this.ACTION(() => {
          properties.push({ name: key.tokenType === stringLiteral ? textOf(key) : key.image, value })
        })
      },
    })
    const end = this.CONSUME(punctuations.closeBrace)
    return this.ACTION(() => ({ kind: 'object', properties, span: between(spanOf(start), spanOf(end)) }))
  })

  private readonly arrayLiteral: Rule<Expression> = this.RULE('arrayLiteral', (): Expression => {
    const start = this.CONSUME(punctuations.openBracket)
    const items = this.SUBRULE(this.expressions)
    const end = this.CONSUME(punctuations.closeBracket)
    return this.ACTION(() => ({ kind: 'array', items, span: between(spanOf(start), spanOf(end)) }))
  })

  /** EXISTS and ARRAY are reserved words. FIRST, LAST and ALL are ordinary names (see `nameOrCall`). */
  private readonly keywordSubquery: Rule<Expression> = this.RULE('keywordSubquery', (): Expression => {
    const form = this.OR([
      { ALT: () => this.CONSUME(keywords.exists) },
      { ALT: () => this.CONSUME(keywords.array) },
    ])
    this.CONSUME(punctuations.openParenthesis)
    const query = this.SUBRULE(this.query)
    const end = this.CONSUME(punctuations.closeParenthesis)
    return this.ACTION(() => ({ ...subquery(form, query), span: between(spanOf(form), spanOf(end)) }))
  })

  /** Parsing this always throws, so the returned value is never used. */
  private readonly unsupportedPrimary: Rule<Expression> = this.RULE('unsupportedPrimary', (): Expression => {
    const token = this.refused(this.CONSUME(keywords.udf), 'A user-defined function (udf.…)')
    return this.ACTION(() => ({ kind: 'literal', value: undefined, span: spanOf(token) }))
  })

  /** Refuses the construct that begins with this token. The error names the construct. */
  protected refused(token: IToken, construct: string): IToken {
    return this.ACTION(() => {
      throw notSupported(construct, spanOf(token))
    })
  }
}
