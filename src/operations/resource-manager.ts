import type { Clock, Random } from '../platform/index.js'
import { backoffDelayMs, type Backoff } from '../platform/internal.js'

/**
 * The source of tokens for requests to Azure: a credential of `@azure/identity`, or a replacement in a test.
 */
export interface TokenSource {
  getToken(scope: string): Promise<{ readonly token: string } | null>
}

export interface ResourceManagerOptions {
  readonly credential: TokenSource
  readonly clock: Clock
  readonly random: Random
  /** The URL of Azure Resource Manager. Default: the endpoint of the public cloud. */
  readonly endpoint?: string
}

/** Thrown if Azure refuses a request or does not answer. */
export class AzureRefused extends Error {
  override readonly name = 'AzureRefused'
  constructor(
    message: string,
    /** The HTTP status, or 0 if there was no answer. */
    readonly status: number,
  ) {
    super(message)
  }
}

const publicCloud = 'https://management.azure.com'
const maxAttempts = 6
const backoff: Backoff = { minMs: 1_000, maxMs: 30_000 }
/** The longest time to wait for the end of an Azure operation. */
const operationWithinMs = 10 * 60_000
const defaultPollMs = 5_000

/**
 * Sends requests to Azure Resource Manager with a token, retries transient failures, and waits until long
 * operations end.
 */
export class ResourceManager {
  private readonly endpoint: string

  constructor(private readonly options: ResourceManagerOptions) {
    this.endpoint = options.endpoint ?? publicCloud
  }

  /** @throws AzureRefused with advice */
  async get(path: string): Promise<unknown> {
    return (await this.request('GET', this.url(path))).json()
  }

  /**
   * Resolves only after the change has been made, not when it is accepted.
   *
   * @throws AzureRefused with advice
   */
  async patch(path: string, body: unknown): Promise<void> {
    await this.completed(await this.request('PATCH', this.url(path), body))
  }

  private url(path: string): URL {
    return new URL(path, this.endpoint)
  }

  private async completed(accepted: Response): Promise<void> {
    const { clock } = this.options
    const untilMs = clock.monotonic() + operationWithinMs
    let response = accepted
    let operation = operationOf(response, this.endpoint)
    while (operation !== null) {
      if (clock.monotonic() >= untilMs) {
        throw new AzureRefused(
          'Azure accepted the change but has not finished it: look at the app in the portal',
          202,
        )
      }
      await clock.sleep(retryAfterMs(response) ?? defaultPollMs)
      response = await this.request('GET', operation)
      const state = await stateOf(response)
      if (state === 'Failed' || state === 'Canceled') {
        throw new AzureRefused(
          `Azure accepted the change, but it ended ${state}: look at the activity log of the app`,
          200,
        )
      }
      const isUnderWay = response.status === 202 || (state !== null && state !== 'Succeeded')
      operation = isUnderWay ? (operationOf(response, this.endpoint) ?? operation) : null
    }
  }

  private async request(method: string, url: URL, body?: unknown): Promise<Response> {
    const { clock, random } = this.options
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.send(method, url, body)
      if (response.ok) return response
      const isPassing = response.status === 429 || response.status >= 500
      if (!isPassing || attempt >= maxAttempts) throw await refusal(method, url, response)
      await clock.sleep(retryAfterMs(response) ?? backoffDelayMs(attempt, backoff, random))
    }
  }

  private async send(method: string, url: URL, body: unknown): Promise<Response> {
    const token = await this.options.credential.getToken(`${publicCloud}/.default`)
    const headers = {
      authorization: `Bearer ${token?.token ?? ''}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    try {
      return await fetch(url, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    } catch (error) {
      const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
      throw new AzureRefused(`${url.host} does not answer (${why}): check the network`, 0)
    }
  }
}

/**
 * Returns the URL that reports the end of an accepted change. The token is sent there, so only a URL on
 * `endpoint` is trusted.
 */
function operationOf(response: Response, endpoint: string): URL | null {
  const told = response.headers.get('azure-asyncoperation') ?? response.headers.get('location')
  if (told === null || (response.status !== 201 && response.status !== 202 && response.status !== 200))
    return null
  const url = new URL(told, endpoint)
  return url.origin === new URL(endpoint).origin ? url : null
}

async function stateOf(response: Response): Promise<string | null> {
  const text = await response.text()
  if (text === '') return null
  const { status } = JSON.parse(text) as { readonly status?: unknown }
  return typeof status === 'string' ? status : null
}

function retryAfterMs(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isNaN(seconds) ? null : seconds * 1_000
}

async function refusal(method: string, url: URL, response: Response): Promise<AzureRefused> {
  const { status } = response
  const said = await messageIn(response)
  const what = `${method} ${url.pathname}: ${status}${said === '' ? '' : ` ${said}`}`
  return new AzureRefused(`${what}: ${adviceFor(status)}`, status)
}

function adviceFor(status: number): string {
  switch (status) {
    case 401:
      return 'the login is not valid for this tenant: run "az login"'
    case 403:
      return 'this login needs the roles Website Contributor and Web Plan Contributor on the resource group'
    case 404:
      return 'check --app-service, --resource-group and --subscription'
    case 429:
      return 'Azure throttles this subscription: try again in a few minutes'
    default:
      return 'try again later, or look at the app in the portal'
  }
}

async function messageIn(response: Response): Promise<string> {
  try {
    const body = (await response.json()) as { readonly error?: { readonly message?: unknown } }
    return typeof body.error?.message === 'string' ? body.error.message : ''
  } catch {
    return ''
  }
}
