import {
  badRequest,
  checkedThroughput,
  isJsonObject,
  lookupCharge,
  minimumThroughput,
  offerResource,
  parsedJson,
  parseOfferContent,
  partitionsFor,
  widthOf,
  type Container,
  type CosmosEngine,
  type OfferRecord,
  type PhysicalPartition,
  type Throughput,
} from '../../engine/index.js'
import { header, isSet, type Answer, type RestRequest } from '../../messages/rest-message.js'
import { bodyObject, type RouteContext } from './context.js'
import { routeResources } from './item-queries.js'

/** The service's throughput for a container that was created without a throughput. */
export const defaultThroughput: Throughput = { kind: 'manual', maxRequestUnits: 400 }

const replaceCharge = 9.9

/** Answers `/offers` and `/offers/{offer}`. */
export function routeOffers(context: RouteContext): Answer | undefined {
  const { engine, segments } = context
  const rid = segments[1]
  if (rid !== undefined) return routeOffer(context, rid)
  return routeResources(context, 'Offers', engine.offers.all.map(offerResource))
}

function routeOffer({ engine, request }: RouteContext, rid: string): Answer | undefined {
  if (request.method === 'GET') return offerAnswer(engine.offers.get(rid), lookupCharge)
  if (request.method !== 'PUT') return undefined
  const after = engine.offers.replace(rid, {
    throughput: parseOfferContent(bodyObject(request)['content']),
    isMigration:
      isSet(request, 'x-ms-cosmos-migrate-offer-to-autopilot') ||
      isSet(request, 'x-ms-cosmos-migrate-offer-to-manual-throughput'),
    ifMatch: request.headers['if-match'],
  })
  for (const container of containersOf(engine, after)) growTo(container, partitionsFor(after.throughput))
  return offerAnswer(after, replaceCharge)
}

function offerAnswer(offer: OfferRecord, charge: number): Answer {
  const resource = offerResource(offer)
  return {
    status: 200,
    body: JSON.stringify(resource),
    charge,
    headers: {
      [header.etag]: String(resource['_etag']),
      'x-ms-cosmos-min-throughput': String(minimumThroughput(offer.throughput.kind, offer.highestEver)),
      'x-ms-offer-replace-pending': 'false',
    },
  }
}

/** Returns the container of the offer. For the offer of a database, returns the containers that share it. */
function containersOf({ databases, offers }: CosmosEngine, { ownerRid }: OfferRecord): readonly Container[] {
  return databases.flatMap(({ rid, containers }) =>
    containers.filter((container) =>
      rid === ownerRid ? offers.of(container.rid) === undefined : container.rid === ownerRid,
    ),
  )
}

/** Splits the widest partition until there are `count` partitions. Like the service, removes none. */
function growTo(container: Container, count: number): void {
  const width = ({ range }: PhysicalPartition): bigint => widthOf(range, container.keySpace)
  while (container.partitions.length < count) {
    const [first, ...others] = container.partitions
    if (first === undefined) return
    const widest = others.reduce((most, one) => (width(one) > width(most) ? one : most), first)
    container.splitPartition(widest.id)
  }
}

export function throughputOf({ headers }: RestRequest): Throughput | undefined {
  const manual = headers[header.offerThroughput]
  const autoscale = headers[header.autopilotSettings]
  if (manual !== undefined && autoscale !== undefined) {
    throw badRequest(`Send ${header.offerThroughput} or ${header.autopilotSettings}, not both.`)
  }
  if (manual !== undefined) return checkedThroughput('manual', Number(manual))
  if (autoscale !== undefined) return checkedThroughput('autoscale', maxThroughputIn(autoscale))
  return undefined
}

function maxThroughputIn(text: string): unknown {
  const settings = parsedJson(text)
  if (settings !== undefined) return isJsonObject(settings) ? settings['maxThroughput'] : settings
  throw badRequest(
    `${header.autopilotSettings} is ${text.slice(0, 60)}; it must look like {"maxThroughput":4000}.`,
  )
}
