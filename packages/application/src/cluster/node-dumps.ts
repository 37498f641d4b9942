import { getFieldAt, getListAt, getStringAt } from '@kube-rules/types/internal/manifests/manifest-objects'
import { InputError } from '../messages/errors.js'
import type { TextSource } from './text-source.js'

/** The rules of a node, as the script of `collect` printed them. */
export interface NodeDump {
  readonly nodeName: string
  readonly text: string
}

/** The `apiVersion` of dumps in a file with objects, which is none of Kubernetes. */
const API_VERSION = 'kube-rules/v1'

/** Creates one file of the objects of a cluster and the rules of nodes. `-f` and `--dump` read such a file. */
export function createCollectedFile(objects: string, dumps: readonly NodeDump[]): string {
  const list: unknown = JSON.parse(objects)
  const items = dumps.map(({ nodeName, text }) => ({
    apiVersion: API_VERSION,
    kind: 'NodeDump',
    metadata: { name: nodeName },
    lines: text.split('\n'),
  }))
  const all = { apiVersion: 'v1', kind: 'List', items: [...getListAt(list, 'items'), ...items] }
  return `${JSON.stringify(all, null, 1)}\n`
}

/** Returns the rules of nodes in a file of `createCollectedFile`; undefined for any other text. */
export function readNodeDumps({ text }: TextSource): readonly NodeDump[] | undefined {
  if (!text.startsWith('{') || !text.includes(API_VERSION)) return undefined
  const dumps = getListAt(parse(text), 'items').filter((item) => getFieldAt(item, 'apiVersion') === API_VERSION)
  if (dumps.length === 0) return undefined
  return dumps.map((item) => ({
    nodeName: getStringAt(item, 'metadata', 'name') ?? '',
    text: getListAt(item, 'lines')
      .filter((line) => typeof line === 'string')
      .join('\n'),
  }))
}

/**
 * Replaces files of `createCollectedFile` by the rules of one node in them. `nodeName` may be undefined if a file has the
 * rules of only one node.
 *
 * @throws InputError if a file has no rules of the node, or those of several nodes and no node is named.
 */
export function selectNodeDumps(sources: readonly TextSource[], nodeName: string | undefined): readonly TextSource[] {
  return sources.map((source) => {
    const dumps = readNodeDumps(source)
    if (dumps === undefined) return source
    const chosen =
      dumps.length === 1 && nodeName === undefined ? dumps[0] : dumps.find((dump) => dump.nodeName === nodeName)
    if (chosen !== undefined) return { name: source.name, text: chosen.text }
    const names = dumps.map((dump) => dump.nodeName).join(', ')
    const problem = nodeName === undefined ? '--node must name one of them' : `node ${nodeName} is not among them`
    throw new InputError(`${source.name}: has the rules of ${names}; ${problem}`)
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
