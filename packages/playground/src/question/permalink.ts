import { type PlaygroundRequest, pickChangedFields, toPlaygroundRequest } from './playground-request.js'

/** Encodes a request as the hash of a link: `#q=` and its fields as JSON, deflated, in base64url. */
export async function encodeRequestHash(question: PlaygroundRequest): Promise<string> {
  const json = new TextEncoder().encode(JSON.stringify(pickChangedFields(question)))
  return `#q=${toBase64Url(await through(json, new CompressionStream('deflate-raw')))}`
}

/** The maximum size of an inflated hash. No valid link contains more data. */
const MOST_BYTES = 64 * 2 ** 20

/** Decodes the request of a hash; undefined if the hash is invalid. */
export async function decodeRequestHash(hash: string): Promise<PlaygroundRequest | undefined> {
  const [, text] = /^#q=([\w-]+)$/.exec(hash) ?? []
  if (text === undefined) return undefined
  try {
    const json = await through(fromBase64Url(text), new DecompressionStream('deflate-raw'))
    return toPlaygroundRequest(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json)))
  } catch {
    return undefined
  }
}

type Bytes = Uint8Array<ArrayBuffer>

async function through(bytes: Bytes, stream: CompressionStream | DecompressionStream): Promise<Bytes> {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader()
  const chunks: Bytes[] = []
  for (let length = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer())
    length += value.length
    if (length > MOST_BYTES) throw new Error('too long')
    chunks.push(value as Bytes)
  }
}

/** The maximum number of bytes per call of `fromCharCode`. Engines limit the number of arguments. */
const PIECE = 8192

function toBase64Url(bytes: Bytes): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += PIECE) binary += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromBase64Url(text: string): Bytes {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
