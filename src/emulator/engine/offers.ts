import { settingsEtag } from './values/etag.js'
import type { Journal, OfferRecord } from './changes/journal.js'
import type { JsonObject } from './values/json.js'
import { badRequest, notFound, Refusal } from './values/refusal.js'
import { minimumThroughput, offerContent, type Throughput } from './values/throughput.js'

export interface OfferOwner {
  readonly rid: string
  /** The owner's path, which consists of rids and ends with a slash. */
  readonly self: string
}

export interface OffersOptions {
  readonly journal: Journal
  /** Returns the time in seconds since the epoch. */
  readonly seconds: () => number
  /** Returns a rid that no offer has. */
  readonly newRid: (isTaken: (rid: string) => boolean) => string
}

export interface OfferChange {
  readonly throughput: Throughput
  /** Whether the client explicitly asked to change from manual to autoscale or back. */
  readonly isMigration: boolean
  readonly ifMatch?: string | undefined
}

/** The offers of an account. An offer is the throughput of a container or a database. */
export class Offers {
  private readonly byRid = new Map<string, OfferRecord>()

  constructor(private readonly options: OffersOptions) {}

  get all(): readonly OfferRecord[] {
    return [...this.byRid.values()]
  }

  restore(records: Iterable<OfferRecord>): void {
    for (const record of records) this.byRid.set(record.rid, record)
  }

  /** Returns the offer with this rid. Ignores case, because clients change the case of rids. */
  get(rid: string): OfferRecord {
    const found =
      this.byRid.get(rid) ?? this.all.find((offer) => offer.rid.toLowerCase() === rid.toLowerCase())
    if (found === undefined) throw notFound(`The offer '${rid}'`)
    return found
  }

  /** Returns the container's or database's own offer, or undefined if there is none. */
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
   * Changes an offer and returns it. If the change is not allowed, throws a `Refusal` and changes nothing.
   */
  replace(rid: string, { throughput, isMigration, ifMatch }: OfferChange): OfferRecord {
    const before = this.get(rid)
    if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== etagOfOffer(before)) {
      throw new Refusal(412, `The offer does not have the etag ${ifMatch}. Read it, and decide again.`)
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

  /** Deletes the offers of containers and databases that no longer exist. */
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
