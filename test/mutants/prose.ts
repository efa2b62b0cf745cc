/** The part of a syntax tree node that distinguishes prose from values. */
interface NodePath {
  readonly node: {
    readonly type: string
    readonly value?: unknown
    readonly quasis?: readonly { readonly value: { readonly raw: string } }[]
  }
}

/** Matches prose: two words, or a word next to a value. */
const words = /\p{L}{2,}[,:;]? |[ ,]\p{L}{2,}/u

/**
 * A plug-in of the mutation tester that makes no mutants of prose. Tests check that an error names the value
 * and the rule where that matters; its exact words decide nothing.
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
