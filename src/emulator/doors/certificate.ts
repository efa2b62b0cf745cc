import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../platform/index.js'
import { createDirectory } from '../../platform/internal.js'

/** A self-signed certificate and its private key, both in PEM format. */
export interface Certificate {
  readonly certificate: string
  readonly privateKey: string
}

/** The name of the certificate's file in the data directory. Clients must trust this certificate. */
const certificateFile = 'certificate.pem'
const privateKeyFile = 'certificate-key.pem'

const dayMs = 24 * 60 * 60 * 1_000
/** The longest validity that every common system accepts. */
const validMs = 825 * dayMs

/**
 * Returns the certificate of an emulator. The certificate in `dataDirectory` is kept until one day before it
 * expires, so that clients continue to trust it. Without a directory, each call creates another certificate.
 */
export async function localCertificate(
  dataDirectory: string | undefined,
  clock: Clock,
): Promise<Certificate> {
  if (dataDirectory === undefined) return generated(clock)
  const files = [join(dataDirectory, certificateFile), join(dataDirectory, privateKeyFile)] as const
  if (files.every((file) => existsSync(file))) {
    const kept = { certificate: readFileSync(files[0], 'utf8'), privateKey: readFileSync(files[1], 'utf8') }
    if (expiryMs(kept, dataDirectory) - dayMs > clock.now()) return kept
  }
  const made = await generated(clock)
  createDirectory(dataDirectory)
  writeFileSync(files[1], made.privateKey, { mode: 0o600 })
  writeFileSync(files[0], made.certificate)
  return made
}

/**
 * Returns when a certificate expires. Throws if it is damaged, or if its key belongs to another certificate.
 */
function expiryMs({ certificate, privateKey }: Certificate, directory: string): number {
  try {
    const read = new X509Certificate(certificate)
    if (read.checkPrivateKey(createPrivateKey(privateKey))) return Date.parse(read.validTo)
  } catch {
    // The error below is clearer than that of the parser.
  }
  throw new Error(
    `The certificate in ${directory} is damaged or does not match its key. Delete ${certificateFile} and ` +
      `${privateKeyFile}, and start again. Clients must then trust the new certificate.`,
  )
}

async function generated(clock: Clock): Promise<Certificate> {
  // This package is larger than the rest of the emulator, so it is loaded only for https.
  const { generate } = await import('selfsigned')
  const { cert, private: privateKey } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    notBeforeDate: new Date(clock.now() - dayMs),
    notAfterDate: new Date(clock.now() - dayMs + validMs),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  })
  return { certificate: cert, privateKey }
}
