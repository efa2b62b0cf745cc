import type { Count, OrderItem, Page, Query, SelectItem, Selection, Source } from './ast.js'
import { ExpressionParser } from './expression-parser.js'
import type { Rule } from './primary-parser.js'
import { identifier, keywords, numberLiteral, punctuations } from './tokens.js'
import { between, literalValue, spanOf } from './tree.js'

/**
 * The grammar of a whole query around its expressions. It also parses known unsupported constructs, to refuse
 * them by name.
 */
export class QueryParser extends ExpressionParser {
  constructor() {
    super()
    this.performSelfAnalysis()
  }

  readonly query: Rule<Query> = this.RULE('query', (): Query => {
    const start = this.CONSUME(keywords.select)
    let isDistinct = false
    this.OPTION(() => {
      this.CONSUME(keywords.distinct)
      isDistinct = true
    })
    const top = this.OPTION2(() => {
      this.CONSUME(keywords.top)
      return this.SUBRULE(this.count)
    })
    const selection = this.SUBRULE(this.selection)
    const source = this.OPTION3(() => this.SUBRULE(this.source))
    const where = this.OPTION4(() => {
      this.CONSUME(keywords.where)
      return this.SUBRULE(this.expression)
    })
    this.OPTION5(() => this.refused(this.CONSUME(keywords.group), 'GROUP BY'))
    const orderBy = this.OPTION6(() => this.SUBRULE(this.orderBy))
    const page = this.OPTION7(() => this.SUBRULE(this.page))
    return this.ACTION(() => {
      const span = { start: start.startOffset, end: this.LA(0).startOffset + this.LA(0).image.length }
      return { selection, isDistinct, top, source, where, orderBy: orderBy ?? [], page, span }
    })
  })

  private readonly selection: Rule<Selection> = this.RULE('selection', (): Selection =>
    this.OR<Selection>([
      {
        ALT: () => {
          const star = this.CONSUME(punctuations.star)
          return this.ACTION((): Selection => ({ kind: 'all', span: spanOf(star) }))
        },
      },
      {
        ALT: () => {
          this.CONSUME(keywords.value)
          const expression = this.SUBRULE(this.expression)
          return this.ACTION((): Selection => ({ kind: 'value', expression }))
        },
      },
      {
        ALT: () => {
          const items: SelectItem[] = []
          this.AT_LEAST_ONE_SEP({
            SEP: punctuations.comma,
            DEF: () => {
              items.push(this.SUBRULE(this.selectItem))
            },
          })
          return this.ACTION((): Selection => ({ kind: 'list', items }))
        },
      },
    ]),
  )

  private readonly selectItem: Rule<SelectItem> = this.RULE('selectItem', (): SelectItem => {
    const expression = this.SUBRULE(this.expression)
    const alias = this.OPTION(() =>
      this.OR([
        {
          ALT: () => {
            this.CONSUME(keywords.as)
            return this.SUBRULE(this.propertyName)
          },
        },
        { ALT: () => this.CONSUME(identifier) },
      ]),
    )
    return this.ACTION(() => ({ expression, alias: alias?.image }))
  })

  private readonly source: Rule<Source> = this.RULE('source', (): Source => {
    this.CONSUME(keywords.from)
    const name = this.OR([
      { ALT: () => this.CONSUME(identifier) },
      { ALT: () => this.refused(this.CONSUME(punctuations.openParenthesis), 'A subquery in FROM') },
    ])
    const alias = this.OPTION(() =>
      this.OR2([
        {
          ALT: () => {
            this.CONSUME(keywords.as)
            return this.CONSUME2(identifier)
          },
        },
        { ALT: () => this.CONSUME3(identifier) },
        { ALT: () => this.refused(this.CONSUME(punctuations.dot), 'A path in FROM') },
        { ALT: () => this.refused(this.CONSUME(punctuations.openBracket), 'A path in FROM') },
        { ALT: () => this.refused(this.CONSUME(keywords.in), 'Iteration in FROM (x IN c.items)') },
      ]),
    )
    this.OPTION2(() => this.refused(this.CONSUME(keywords.join), 'JOIN'))
    return this.ACTION(() => ({ alias: (alias ?? name).image }))
  })

  private readonly orderBy: Rule<OrderItem[]> = this.RULE('orderBy', (): OrderItem[] => {
    this.CONSUME(keywords.order)
    this.CONSUME(keywords.by)
    const items: OrderItem[] = []
    this.AT_LEAST_ONE_SEP({
      SEP: punctuations.comma,
      DEF: () => {
        const expression = this.SUBRULE(this.expression)
        const direction = this.OPTION(() =>
          this.OR([{ ALT: () => this.CONSUME(keywords.asc) }, { ALT: () => this.CONSUME(keywords.desc) }]),
        )
        this.ACTION(() => {
          items.push({ expression, isDescending: direction?.tokenType === keywords.desc })
        })
      },
    })
    return items
  })

  private readonly page: Rule<Page> = this.RULE('page', (): Page => {
    const start = this.CONSUME(keywords.offset)
    const skip = this.SUBRULE(this.count)
    this.CONSUME(keywords.limit)
    const take = this.SUBRULE2(this.count)
    return this.ACTION(() => ({ skip, take, span: between(spanOf(start), take.span) }))
  })

  private readonly count: Rule<Count> = this.RULE('count', (): Count =>
    this.OR<Count>([
      {
        ALT: () => {
          const token = this.CONSUME(numberLiteral)
          return this.ACTION((): Count => ({
            kind: 'literal',
            value: literalValue(token),
            span: spanOf(token),
          }))
        },
      },
      { ALT: () => this.SUBRULE(this.parameterReference) },
    ]),
  )
}
