import { crc32 } from 'node:zlib'
import { marked, propertiesOf, TextTemplate, unmarked, type Property } from './text-template.js'

/** The largest number of templates of a container. Each is compared with the texts that fit none before it. */
const mostTemplates = 24

/** The number of texts with the same properties of which the longest becomes a template. */
const textsSeen = 512

/** The largest number of sets of properties that are counted. */
const mostShapes = 64

/** The longest text of a template, in characters. */
const longestTemplate = 8_192

/**
 * The longest text that is shortened, in characters. A template saves little of a longer one, but comparing a text of
 * 1 MB with 24 templates took up to 34 ms, in which the process answers nothing.
 */
const longestShortened = 4 * longestTemplate

/** A text in short, and the number of its template. */
export interface ShortText {
  readonly template: number
  readonly short: string
}

/** The texts so far that have the same properties. */
interface Shape {
  count: number
  longest: readonly Property[]
  length: number
}

/** What is known of the texts of one container. */
interface Texts {
  readonly templates: Map<number, TextTemplate>
  /** The numbers of the templates, those that fit more often first. */
  readonly order: number[]
  readonly shapes: Map<string, Shape>
  /** The texts that fitted no template. */
  misses: number
}

/** The texts that may fit no template before a container is left alone. */
const mostMisses = mostShapes * textsSeen

/** Finds the templates that shorten the texts of documents, and makes new ones of the texts that it is given. */
export class DocumentTemplates {
  private readonly containers = new Map<string, Texts>()

  /**
   * Adds a template as `made` was given it.
   *
   * @param record null if the record is altered. Documents with this template then cannot be read.
   */
  add(containerRid: string, number: number, record: string | null): void {
    const texts = this.textsOf(containerRid)
    if (record === null) return
    texts.order.push(number)
    texts.templates.set(number, new TextTemplate(JSON.parse(record) as readonly Property[]))
  }

  /** Forgets the templates of a container that was removed. */
  forget(containerRid: string): void {
    this.containers.delete(containerRid)
  }

  /**
   * Returns a text in short, or null if no template fits.
   *
   * @param text a JSON object without its last brace, as `JSON.stringify` writes it
   * @param made receives each new template. The template must be on disk no later than the text.
   */
  shortened(
    containerRid: string,
    { keyText, text }: { readonly keyText: string; readonly text: string },
    made: (number: number, record: string) => void,
  ): ShortText | null {
    if (text.length > longestShortened) return null
    const texts = this.textsOf(containerRid)
    const { templates, order } = texts
    const markedText = marked(text, keyText)
    for (let place = 0; place < order.length; place += 1) {
      const number = order[place] ?? 0
      const short = templates.get(number)?.shortened(markedText) ?? null
      if (short === null) continue
      // The template changes places with the one before it, so those that fit often are tried first.
      if (place > 0) order.splice(place - 1, 2, number, order[place - 1] ?? 0)
      return { template: number, short }
    }
    const properties = learned(texts, text, keyText)
    if (properties === null) return null
    const record = JSON.stringify(properties)
    // If a template is lost, no other one gets its number, so its documents are not restored with another.
    const number = crc32(record)
    if (templates.has(number)) return null
    made(number, record)
    this.add(containerRid, number, record)
    const short = templates.get(number)?.shortened(markedText) ?? null
    return short === null ? null : { template: number, short }
  }

  /** Returns the text that was shortened, or undefined if its template does not exist. */
  restored(containerRid: string, { template, short }: ShortText, keyText: string): string | undefined {
    const found = this.containers.get(containerRid)?.templates.get(template)
    return found && unmarked(found.restored(short), keyText)
  }

  private textsOf(containerRid: string): Texts {
    let texts = this.containers.get(containerRid)
    if (texts === undefined) {
      texts = { templates: new Map(), order: [], shapes: new Map(), misses: 0 }
      this.containers.set(containerRid, texts)
    }
    return texts
  }
}

/** Counts a text that fits no template. Returns the properties of a new template if it is time for one. */
function learned(texts: Texts, text: string, keyText: string): readonly Property[] | null {
  const { templates, shapes } = texts
  if (templates.size >= mostTemplates || texts.misses >= mostMisses) return null
  texts.misses += 1
  const properties = text.length > longestTemplate ? null : propertiesOf(text, keyText)
  if (properties === null) return null
  const name = properties.map(([start]) => start).join('')
  let shape = shapes.get(name)
  if (shape === undefined) {
    if (shapes.size >= mostShapes) return null
    shape = { count: 0, longest: properties, length: text.length }
    shapes.set(name, shape)
  }
  shape.count += 1
  if (text.length > shape.length) Object.assign(shape, { longest: properties, length: text.length })
  if (shape.count < textsSeen) return null
  shapes.delete(name)
  return shape.longest
}
