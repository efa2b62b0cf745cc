import { settingsEtag } from './values/etag.js'
import type { Journal, OfferRecord } from './changes/journal.js'
import type { JsonObject } from './values/json.js'
import { badRequest, notFound, Refusal } from './values/refusal.js'
import { minimumThroughput, offerContent, type Throughput } from './values/throughput.js'

/** The container or database that an offer belongs to. */
export interface OfferOwner {
  readonly rid: string
  /** The owner's path by rids, with a trailing slash. */
  readonly self: string
}

export interface OffersOptions {
  readonly journal: Journal
  /** Seconds since the epoch. */
  readonly seconds: () => number
  /** Returns a rid that no offer has. */
  readonly newRid: (isTaken: (rid: string) => boolean) => string
}

export interface OfferChange {
  readonly throughput: Throughput
  /** True when the client explicitly asked to go from manual to autoscale or back. */
  readonly isMigration: boolean
  readonly ifMatch?: string | undefined
}

/** The throughput of containers and databases, by the rid of the offer. */
export class Offers {
  private readonly byRid = new Map<string, OfferRecord>()

  constructor(private readonly options: OffersOptions) {}

  get all(): readonly OfferRecord[] {
    return [...this.byRid.values()]
  }

  restore(records: Iterable<OfferRecord>): void {
    for (const record of records) this.byRid.set(record.rid, record)
  }

  /** Returns the offer with this rid, ignoring case, because clients send rids in any case. */
  get(rid: string): OfferRecord {
    const found =
      this.byRid.get(rid) ?? this.all.find((offer) => offer.rid.toLowerCase() === rid.toLowerCase())
    if (found === undefined) throw notFound(`The offer '${rid}'`)
    return found
  }

  /** Returns the offer of a container or database, if it has one of its own. */
  of(ownerRid: string): OfferRecord | undefined {
    return this.all.find((offer) => offer.ownerRid === ownerRid)
  }

  create(owner: OfferOwner, throughput: Throughput): void {
    this.keep({
      rid: this.options.newRid((rid) => this.byRid.has(rid)),
      ownerRid: owner.rid,
      ownerSelf: owner.self,
      throughput,
      highestEver: throughput.maxRequestUnits,
      changes: 0,
      ts: this.options.seconds(),
    })
  }

  /**
   * Changes an offer and returns it. Throws a `Refusal` without changing anything when the change is not
   * allowed.
   */
  replace(rid: string, { throughput, isMigration, ifMatch }: OfferChange): OfferRecord {
    const before = this.get(rid)
    if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== etagOfOffer(before)) {
      throw new Refusal(412, `The offer has another etag than ${ifMatch}. Read it, and decide again.`)
    }
    if (throughput.kind !== before.throughput.kind && !isMigration) {
      throw badRequest(
        `The offer is ${before.throughput.kind}; to make it ${throughput.kind}, send the header ` +
          `x-ms-cosmos-migrate-offer-to-${throughput.kind === 'manual' ? 'manual-throughput' : 'autopilot'}: true.`,
      )
    }
    const minimum = minimumThroughput(throughput.kind, before.highestEver)
    if (throughput.maxRequestUnits < minimum) {
      throw badRequest(
        `The throughput is ${throughput.maxRequestUnits} RU/s; since it was ${before.highestEver} ` +
          `once, it must be at least ${minimum}.`,
      )
    }
    const highestEver = Math.max(before.highestEver, throughput.maxRequestUnits)
    const after = {
      ...before,
      throughput,
      highestEver,
      changes: before.changes + 1,
      ts: this.options.seconds(),
    }
    this.keep(after)
    return after
  }

  /** Deletes the offers of containers and databases that are gone. */
  deleteOf(ownerRids: readonly string[]): void {
    for (const { rid } of this.all.filter((offer) => ownerRids.includes(offer.ownerRid))) {
      this.byRid.delete(rid)
      this.options.journal.append([{ kind: 'offer', rid, value: null }])
    }
  }

  private keep(offer: OfferRecord): void {
    this.byRid.set(offer.rid, offer)
    this.options.journal.append([{ kind: 'offer', rid: offer.rid, value: offer }])
  }
}

export function offerResource(offer: OfferRecord): JsonObject {
  return {
    id: offer.rid,
    _rid: offer.rid,
    _self: `offers/${offer.rid}/`,
    _etag: etagOfOffer(offer),
    _ts: offer.ts,
    offerVersion: 'V2',
    offerType: 'Invalid',
    resource: offer.ownerSelf,
    offerResourceId: offer.ownerRid,
    content: offerContent(offer.throughput, offer.highestEver),
  }
}

function etagOfOffer({ changes, ts }: OfferRecord): string {
  return settingsEtag(changes, ts)
}
