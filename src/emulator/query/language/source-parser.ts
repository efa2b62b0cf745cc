import type { IToken } from 'chevrotain'
import type { Collection, Source } from './ast.js'
import { ExpressionParser } from './expression-parser.js'
import type { Rule } from './primary-parser.js'
import { identifier, keywords, numberLiteral, punctuations, stringLiteral } from './tokens.js'
import { spanOf, textOf } from './tree.js'

/** Returns the name of a source without an alias: `c` for `c`, and `tags` for `c.tags`. */
function impliedAlias(collection: Collection): string | undefined {
  if (collection.kind === 'query') return undefined
  const last = collection.steps.at(-1) ?? collection.root.name
  return typeof last === 'string' ? last : undefined
}

/** The grammar of FROM and JOIN. */
export abstract class SourceParser extends ExpressionParser {
  protected readonly sources: Rule<Source[]> = this.RULE('sources', (): Source[] => {
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

  protected readonly sourceAlias: Rule<IToken> = this.RULE('sourceAlias', (): IToken => {
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
}
