import type { IToken } from 'chevrotain'
import type {
  Collection,
  Count,
  Expression,
  OrderItem,
  Page,
  Query,
  SelectItem,
  Selection,
  Source,
} from './ast.js'
import { ExpressionParser } from './expression-parser.js'
import type { Rule } from './primary-parser.js'
import { identifier, keywords, numberLiteral, punctuations, stringLiteral } from './tokens.js'
import { between, literalValue, spanOf, textOf } from './tree.js'

/** Returns the name of a source without an alias: `c` for `c`, and `tags` for `c.tags`. */
function impliedAlias(collection: Collection): string | undefined {
  if (collection.kind === 'query') return undefined
  const last = collection.steps.at(-1) ?? collection.root.name
  return typeof last === 'string' ? last : undefined
}

/** The grammar of a whole query around its expressions. */
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
    const sources = this.OPTION3(() => this.SUBRULE(this.sources))
    const where = this.OPTION4(() => {
      this.CONSUME(keywords.where)
      return this.SUBRULE(this.expression)
    })
    const groupBy = this.OPTION5(() => this.SUBRULE(this.groupBy))
    const orderBy = this.OPTION6(() => this.SUBRULE(this.orderBy))
    const page = this.OPTION7(() => this.SUBRULE(this.page))
    return this.ACTION(() => {
      const span = { start: start.startOffset, end: this.LA(0).startOffset + this.LA(0).image.length }
      return {
        selection,
        isDistinct,
        top,
        sources: sources ?? [],
        where,
        groupBy: groupBy ?? [],
        orderBy: orderBy ?? [],
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

  private readonly sources: Rule<Source[]> = this.RULE('sources', (): Source[] => {
    this.CONSUME(keywords.from)
    const sources = [this.SUBRULE(this.source)]
    this.MANY(() => {
      this.CONSUME(keywords.join)
      sources.push(this.SUBRULE2(this.source))
    })
    return sources
  })

  private readonly source: Rule<Source> = this.RULE('source', (): Source =>
    this.OR<Source>([
      {
        ALT: () => {
          const alias = this.CONSUME(identifier)
          this.CONSUME(keywords.in)
          const collection = this.SUBRULE(this.collection)
          return this.ACTION(() => ({
            alias: alias.image,
            collection,
            isIterated: true,
            span: spanOf(alias),
          }))
        },
      },
      {
        ALT: () => {
          const start = this.LA(1)
          const collection = this.SUBRULE2(this.collection)
          const alias = this.OPTION(() => this.SUBRULE(this.sourceAlias))
          return this.ACTION(() => ({
            alias: alias?.image ?? impliedAlias(collection),
            collection,
            isIterated: false,
            span: spanOf(alias ?? start),
          }))
        },
      },
    ]),
  )

  private readonly sourceAlias: Rule<IToken> = this.RULE('sourceAlias', (): IToken => {
    this.OPTION(() => this.CONSUME(keywords.as))
    return this.CONSUME(identifier)
  })

  private readonly collection: Rule<Collection> = this.RULE('collection', (): Collection =>
    this.OR<Collection>([
      {
        ALT: () => {
          this.CONSUME(punctuations.openParenthesis)
          const query = this.SUBRULE(this.query)
          this.CONSUME(punctuations.closeParenthesis)
          return this.ACTION((): Collection => ({ kind: 'query', query }))
        },
      },
      {
        ALT: () => {
          const name = this.CONSUME(identifier)
          const steps: (string | number)[] = []
          this.MANY(() => {
            const step = this.SUBRULE(this.pathStep)
            this.ACTION(() => steps.push(step))
          })
          return this.ACTION((): Collection => {
            const root = { kind: 'source', name: name.image, span: spanOf(name) } as const
            return { kind: 'path', root, steps }
          })
        },
      },
    ]),
  )

  private readonly pathStep: Rule<string | number> = this.RULE('pathStep', (): string | number =>
    this.OR<string | number>([
      {
        ALT: () => {
          this.CONSUME(punctuations.dot)
          const name = this.SUBRULE(this.propertyName)
          return this.ACTION(() => name.image)
        },
      },
      {
        ALT: () => {
          this.CONSUME(punctuations.openBracket)
          const key = this.OR2([
            { ALT: () => this.CONSUME(stringLiteral) },
            { ALT: () => this.CONSUME(numberLiteral) },
          ])
          this.CONSUME(punctuations.closeBracket)
          return this.ACTION(() => (key.tokenType === stringLiteral ? textOf(key) : Number(key.image)))
        },
      },
    ]),
  )

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
