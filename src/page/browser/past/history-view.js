/** @import { HistoryPage, Moment } from './moments.js' */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Link, Panel, Problem } from '../parts/basics.js'
import { html } from '../parts/html.js'
import { address, addressOf, jobAddress, open } from '../state/address.js'
import { counted, momentText, unitsText } from '../state/formats.js'
import { useChanges } from '../state/live.js'
import { MomentPanel } from './moment-panel.js'
import { listedAtOnce, nameOf, partOf } from './moments.js'
import { useHistory } from './pages.js'

/** The history of one job: what each transaction changed, and the documents of the chosen moment. */
export function HistoryView() {
  const { query } = address.value
  const [jobId, partitionKey] = [query.get('jobId') ?? '', query.get('partitionKey')]
  const wanted = query.get('moment')
  const { pages, error, isReading, readMore } = useHistory({ jobId, partitionKey }, wanted)
  const [isNewer, setNewer] = useState(false)
  useChanges((changes) => {
    const isOurs = (/** @type {{ jobId: string }} */ one) => one.jobId === jobId
    if (changes?.jobs.some(isOurs) || changes?.steps.some(isOurs)) setNewer(true)
  })
  const moments = pages.flatMap((page) => page.moments)
  const found = moments.findIndex(({ moment }) => moment !== null && moment === wanted)
  const index = found < 0 ? 0 : found
  const choose = (/** @type {number} */ place) =>
    open(addressOf('/history', { jobId, partitionKey, moment: moments[place]?.moment ?? null }), true)
  const [first] = pages
  const hasMore = pages.at(-1)?.next !== null
  const more = () => {
    setNewer(false)
    void readMore()
  }
  return html`<h1>History of <${Link} to=${jobAddress({ jobId, partitionKey: partitionKey ?? jobId })} class="id">${jobId}<//></h1>
    <${Problem} error=${error} />
    ${first === undefined && error === null ? html`<p class="quiet">…</p>` : null}
    ${
      first === undefined
        ? null
        : html`${first.note === null ? null : html`<p class="note">${first.note}</p>`}
            <p class="charge quiet">${chargeLine(pages, moments)}</p>
            ${
              first.source === 'versions' && moments.length > 0
                ? html`<${Slider} moments=${moments} index=${index} choose=${choose} />`
                : null
            }
            <div class="columns history">
              <${Panel} title="What changed">
                <${Moments} moments=${moments} index=${first.source === 'versions' ? index : -1} choose=${choose} />
                ${
                  hasMore || isNewer
                    ? html`<p>
                        <button type="button" onClick=${more} disabled=${isReading}>
                          ${hasMore ? 'Read more' : 'Read newer changes'}
                        </button>
                      </p>`
                    : null
                }
              <//>
              ${
                first.source === 'versions' && moments.length > 0
                  ? html`<${MomentPanel}
                      job=${{ jobId, partitionKey }}
                      moments=${moments}
                      index=${index}
                    />`
                  : null
              }
            </div>`
    }`
}

/**
 * @param {readonly HistoryPage[]} pages
 * @param {readonly Moment[]} moments
 */
function chargeLine(pages, moments) {
  const charge = pages.reduce((sum, page) => sum + page.charge, 0)
  const more = pages.at(-1)?.next === null ? '' : ' so far'
  const entries =
    pages[0]?.source === 'record'
      ? counted(moments.length, 'entry of the record', 'entries of the record')
      : counted(moments.length, 'moment', 'moments')
  return `${entries}${more}, read for ${unitsText(charge)} RU.`
}

/** @param {{ moments: readonly Moment[], index: number, choose: (index: number) => void }} props */
function Slider({ moments, index, choose }) {
  const last = moments.length - 1
  return html`<div class="slider">
    <button type="button" onClick=${() => choose(index - 1)} disabled=${index === 0}>Earlier</button>
    <input
      type="range"
      min="0"
      max=${last}
      value=${index}
      aria-label="Moment"
      aria-valuetext=${`moment ${index + 1} of ${moments.length}`}
      disabled=${last === 0}
      onInput=${(/** @type {any} */ event) => choose(Number(event.currentTarget.value))}
    />
    <button type="button" onClick=${() => choose(index + 1)} disabled=${index === last}>Later</button>
    <span class="quiet">${`${index + 1} of ${moments.length}`}</span>
  </div>`
}

/**
 * The part of the list around the chosen moment, and buttons for the other parts.
 *
 * @param {{ moments: readonly Moment[], index: number, choose: (index: number) => void }} props
 */
function Moments({ moments, index, choose }) {
  const [turned, setTurned] = useState(/** @type {{ index: number, begin: number } | null} */ (null))
  const begin = turned?.index === index ? turned.begin : partOf(index)
  const turn = (/** @type {number} */ place) => setTurned({ index, begin: place })
  const end = Math.min(moments.length, begin + listedAtOnce)
  const now = Date.now()
  const list = useRef(/** @type {HTMLDivElement | null} */ (null))
  useEffect(() => {
    const chosen = /** @type {HTMLElement | null | undefined} */ (list.current?.querySelector('.chosen'))
    if (list.current === null || !chosen) return
    // The window must not scroll, because the person may look at the documents.
    const [top, height] = [chosen.offsetTop, list.current.clientHeight]
    if (top < list.current.scrollTop || top + chosen.offsetHeight > list.current.scrollTop + height)
      list.current.scrollTop = Math.max(0, top - height / 3)
  }, [index, begin])
  return html`<div class="moment-list" ref=${list} tabindex="0" role="region" aria-label="Moments">
      <ol class="moments" start=${begin + 1}>
      ${moments.slice(begin, end).map(
        (one, place) =>
          html`<li class=${begin + place === index ? 'chosen' : ''} key=${begin + place}>
            <${When} moment=${one} now=${now} isChosen=${begin + place === index} choose=${() => choose(begin + place)} />
            ${one.by === null ? null : html` <span class="quiet"><bdi>${one.by}</bdi></span>`}
            <ul>
              ${one.changes.map(
                (change) =>
                  html`<li>
                    <b><bdi>${nameOf(change)}</bdi></b>
                    ${change.kind === 'deleted' ? html` <span class="bad">deleted</span>` : ''}
                    <bdi>${` ${change.what.join('; ')}`}</bdi>
                  </li>`,
              )}
            </ul>
          </li>`,
      )}
    </ol>
    </div>
    ${
      moments.length <= listedAtOnce
        ? null
        : html`<p class="buttons start">
            <button type="button" disabled=${begin === 0} onClick=${() => turn(begin - listedAtOnce)}>Earlier part</button>
            <button type="button" disabled=${end === moments.length} onClick=${() => turn(begin + listedAtOnce)}>
              Later part
            </button>
            <span class="quiet">${`${begin + 1} to ${end} of ${moments.length}`}</span>
          </p>`
    }`
}

/** @param {{ moment: Moment, now: number, isChosen: boolean, choose: () => void }} props */
function When({ moment: { moment, at }, now, isChosen, choose }) {
  const text = momentText(at, now)
  if (moment === null) return html`<time datetime=${at}>${text}</time>`
  return html`<button type="button" class="small" aria-pressed=${String(isChosen)} onClick=${choose}>
    <time datetime=${at}>${text}</time>
  </button>`
}
