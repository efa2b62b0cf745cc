/** The part of a syntax tree that tells words for people from values. */
interface NodePath {
  readonly node: {
    readonly type: string
    readonly value?: unknown
    readonly quasis?: readonly { readonly value: { readonly raw: string } }[]
  }
}

/** Two words, or a word beside a value. */
const words = /\p{L}{2,}[,:;]? |[ ,]\p{L}{2,}/u

/**
 * A plug-in of the mutation tester: texts for people have no mutants. That an error names the value and the rule is
 * tested where it matters; that each word of it is there decides nothing.
 */
export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'prose',
    value: {
      shouldIgnore: ({ node }: NodePath): string | undefined => {
        const texts =
          node.type === 'StringLiteral'
            ? [String(node.value)]
            : (node.quasis ?? []).map(({ value }) => value.raw)
        return texts.some((text) => words.test(text)) ? 'words for people' : undefined
      },
    },
  },
]
