import Table from 'cli-table3'
import { median } from '../figure.js'
import type { PeerFigures } from './peer.js'

/** A system and its figures of all rounds. */
export interface Measured {
  readonly name: string
  readonly rounds: PeerFigures[]
}

/** Returns the figures of all systems, and the ratios of the first systems (ours) to the others. */
export function comparison(measured: readonly Measured[]): string {
  const figures = new Table({
    head: ['median (least to most) of the rounds', 'jobs/s', 'p50 alone, ms', 'processor, ms/job'],
    style: { head: [], border: [] },
  })
  for (const { name, rounds } of measured)
    figures.push([
      name,
      spread(rounds, ({ perSecond }) => perSecond, 0),
      spread(rounds, ({ p50Ms }) => p50Ms, 1),
      spread(rounds, ({ processorMs }) => processorMs, 2),
    ])
  const ratios = new Table({
    head: ['ratio of the medians', 'jobs/s', 'p50 alone'],
    style: { head: [], border: [] },
  })
  const ours = measured.filter(({ name }) => name.startsWith('Stepward'))
  const others = measured.filter((each) => !ours.includes(each))
  for (const our of ours)
    for (const other of others)
      ratios.push([`${our.name} ÷ ${other.name}`, ...ratioOf(our.rounds, other.rounds)])
  return others.length === 0 ? figures.toString() : `${figures.toString()}\n${ratios.toString()}`
}

function ratioOf(our: readonly PeerFigures[], other: readonly PeerFigures[]): readonly string[] {
  const of = (pick: (figures: PeerFigures) => number): string =>
    (median(our.map(pick)) / median(other.map(pick))).toFixed(2)
  return [of(({ perSecond }) => perSecond), of(({ p50Ms }) => p50Ms)]
}

function spread(
  rounds: readonly PeerFigures[],
  pick: (figures: PeerFigures) => number,
  digits: number,
): string {
  const values = rounds.map(pick)
  const shown = (value: number): string => value.toFixed(digits)
  return `${shown(median(values))} (${shown(Math.min(...values))} to ${shown(Math.max(...values))})`
}
