import type { Expression } from '../language/ast.js'
import { namesIn, Shapes } from './shapes.js'

interface KnownValue {
  readonly slot: number
  /** The aliases that the expression mentions. */
  readonly names: ReadonlySet<string>
}

/**
 * The expressions whose values are already in a frame: the keys of GROUP BY. The selection of the query and
 * the subqueries in it read these values. If a subquery defines an alias that a key mentions, the key is
 * hidden there.
 */
export class KnownValues {
  private constructor(
    private readonly shapes: Shapes,
    private readonly values: ReadonlyMap<number, KnownValue>,
    private readonly hidden: readonly string[],
    private readonly outer: KnownValues | undefined,
  ) {}

  static readonly none = new KnownValues(new Shapes(), new Map(), [], undefined)

  /** Adds expressions whose values are in a frame, beginning at `slot`. */
  with(expressions: readonly Expression[], slot: number): KnownValues {
    const shapes = new Shapes()
    const values = new Map(
      expressions.map((expression, index) => [
        shapes.numberOf(expression),
        { slot: slot + index, names: namesIn(expression) },
      ]),
    )
    return new KnownValues(shapes, values, [], this)
  }

  /** Hides the expressions that mention an alias, because the alias has another meaning here. */
  without(alias: string): KnownValues {
    if (this === KnownValues.none) return this
    return new KnownValues(this.shapes, this.values, [...this.hidden, alias], this.outer?.without(alias))
  }

  /** Returns the place of an expression's value in the frame, or undefined if the frame does not have it. */
  slotOf(expression: Expression): number | undefined {
    if (this.values.size === 0) return this.outer?.slotOf(expression)
    const value = this.values.get(this.shapes.numberOf(expression))
    const isHidden = value === undefined || this.hidden.some((alias) => value.names.has(alias))
    return isHidden ? this.outer?.slotOf(expression) : value.slot
  }
}
