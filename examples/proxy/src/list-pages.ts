import { createListReader } from '@kube-rules/proxy-kit'
import { type ApiRequest, sendRequest } from './api.js'
import type { ApiObject, ReflectOptions } from './reflect.js'

/** The number of objects per page. */
const PAGE = 500

export interface ListRequest extends Pick<ReflectOptions, 'connect' | 'source'> {
  readonly isFirst: boolean
  readonly reduce: (object: ApiObject) => ApiObject
  readonly request: Pick<ApiRequest, 'silence' | 'connectTimeout' | 'signal' | 'onReport'>
}

/** Reads all pages of a list. Like in kube-proxy, the first list may come from the cache of the server. */
export async function listPages({
  connect,
  source,
  isFirst,
  reduce,
  request,
}: ListRequest): Promise<{ objects: readonly ApiObject[]; resourceVersion: string | undefined }> {
  let objects: ApiObject[] = []
  let limit = PAGE
  let next = ''
  for (;;) {
    const start = next ? { continue: next } : isFirst && { resourceVersion: '0' }
    const query = { ...source.query, limit: `${limit}`, ...start }
    const path = `${source.path}?${new URLSearchParams(query)}`
    const reader = createListReader<ApiObject>((item) => objects.push(reduce(item)))
    const answer = await sendRequest(connect, { path, ...request, onPart: reader.push })
    if (answer.status === 410 && next !== '') {
      // A page has expired. The next list has a single page.
      ;[objects, limit, next] = [[], 0, '']
      continue
    }
    const isUnserved = answer.status === 404 || answer.status === 403
    if (isUnserved && isFirst && source.isOptional) return { objects: [], resourceVersion: undefined }
    if (answer.status !== 200) throw new Error(`HTTP status ${answer.status}`)
    const { resourceVersion, continue: rest = '' } = reader.end()
    if (resourceVersion === undefined) throw new Error('the list has no version')
    next = rest
    if (next === '') return { objects, resourceVersion }
  }
}
