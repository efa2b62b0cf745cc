import type { IToken } from 'chevrotain'
import type { Count, Expression, OrderItem, Page, Query, SelectItem, Selection } from './ast.js'
import type { Rule } from './primary-parser.js'
import { SourceParser } from './source-parser.js'
import { identifier, keywords, numberLiteral, punctuations } from './tokens.js'
import { between, literalValue, spanOf } from './tree.js'

/** The parts of an ORDER BY clause. */
interface Order {
  readonly items: readonly OrderItem[]
  readonly rank: Expression | undefined
}

function endOf({ startOffset, image }: IToken): number {
  return startOffset + image.length
}

/** The grammar of a whole query around its expressions. */
export class QueryParser extends SourceParser {
  constructor(isChecked = false) {
    super(isChecked)
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
    const selectionStart = this.LA(1).startOffset
    const selection = this.SUBRULE(this.selection)
    const selectionEnd = endOf(this.LA(0))
    const fromStart = this.LA(1).startOffset
    const sources = this.OPTION3(() => this.SUBRULE(this.sources))
    const fromEnd = endOf(this.LA(0))
    const where = this.OPTION4(() => {
      this.CONSUME(keywords.where)
      return this.SUBRULE(this.expression)
    })
    const groupBy = this.OPTION5(() => this.SUBRULE(this.groupBy))
    const order = this.OPTION6(() => this.SUBRULE(this.orderBy))
    const page = this.OPTION7(() => this.SUBRULE(this.page))
    return this.ACTION(() => {
      const span = { start: start.startOffset, end: endOf(this.LA(0)) }
      return {
        selection,
        isDistinct,
        top,
        selectionSpan: { start: selectionStart, end: selectionEnd },
        fromSpan:
          sources === undefined ? { start: fromEnd, end: fromEnd } : { start: fromStart, end: fromEnd },
        sources: sources ?? [],
        where,
        groupBy: groupBy ?? [],
        orderBy: order?.items ?? [],
        rank: order?.rank,
        page,
        span,
      }
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
          // An alias of the value is allowed, and has no effect.
          this.OPTION(() => this.SUBRULE(this.sourceAlias))
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

  private readonly groupBy: Rule<Expression[]> = this.RULE('groupBy', (): Expression[] => {
    this.CONSUME(keywords.group)
    this.CONSUME(keywords.by)
    const keys: Expression[] = []
    this.AT_LEAST_ONE_SEP({
      SEP: punctuations.comma,
      DEF: () => {
        keys.push(this.SUBRULE(this.expression))
      },
    })
    return keys
  })

  private readonly orderBy: Rule<Order> = this.RULE('orderBy', (): Order => {
    this.CONSUME(keywords.order)
    this.CONSUME(keywords.by)
    const items: OrderItem[] = []
    let rank: Expression | undefined
    this.OR([
      {
        // RANK is not a reserved word. It begins a ranking only if a name follows; otherwise it is a name
        // itself.
        GATE: () => this.LA(1).image.toUpperCase() === 'RANK' && this.LA(2).tokenType === identifier,
        ALT: () => {
          this.CONSUME(identifier)
          rank = this.SUBRULE(this.expression)
        },
      },
      {
        ALT: () => {
          this.AT_LEAST_ONE_SEP({
            SEP: punctuations.comma,
            DEF: () => {
              const item = this.SUBRULE(this.orderItem)
              this.ACTION(() => items.push(item))
            },
          })
        },
      },
    ])
    return { items, rank }
  })

  private readonly orderItem: Rule<OrderItem> = this.RULE('orderItem', (): OrderItem => {
    const expression = this.SUBRULE(this.expression)
    const direction = this.OPTION(() =>
      this.OR([{ ALT: () => this.CONSUME(keywords.asc) }, { ALT: () => this.CONSUME(keywords.desc) }]),
    )
    return this.ACTION(() => ({
      expression,
      direction: direction && (direction.tokenType === keywords.desc ? 'DESC' : 'ASC'),
    }))
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
