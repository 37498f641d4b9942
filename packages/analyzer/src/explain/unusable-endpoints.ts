import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import { listText } from './list-text.js'

/** `no endpoints`, or `no endpoint that could take it; not ready: 10.244.1.1:8080 on node-1`. */
export function noEndpointText(endpoints: readonly Endpoint[]): string {
  if (endpoints.length === 0) return 'no endpoints'
  return ['no endpoint that could take it', ...conditionTexts(endpoints, endpointText)].join('; ')
}

/** `no endpoint on this node could take it; not ready: 10.244.1.1:8080; nodes that have one: node-2, node-3`. */
export function noLocalEndpointText(endpoints: readonly Endpoint[]): string {
  const here = endpoints.filter(({ local }) => local)
  const nodes = nodesText(endpoints)
  return [
    'no endpoint on this node could take it',
    ...conditionTexts(here, ({ text }) => text),
    ...(nodes === '' ? [] : [`nodes that have one: ${nodes}`]),
  ].join('; ')
}

/** The nodes with an endpoint that could take packets, where this one has none: `node-2, node-3`; empty for none. */
export function nodesText(endpoints: readonly Endpoint[]): string {
  return listText(nodesOf(endpoints.filter(isUsable)))
}

/** Ready, or still serving while it terminates: other nodes take it, or this one would where no better one is. */
function isUsable({ ready, serving, terminating }: Endpoint): boolean {
  return ready || (serving && terminating)
}

/** `not ready: 10.244.1.1:8080`, `terminating, and not serving: 10.244.1.2:8080`: why endpoints that cannot take packets cannot. */
export function conditionTexts(
  endpoints: readonly Endpoint[],
  nameOf: (endpoint: Endpoint) => string,
): readonly string[] {
  const terminating = endpoints.filter((endpoint) => endpoint.terminating)
  const others = endpoints.filter((endpoint) => !endpoint.terminating)
  return [
    ...(others.length === 0 ? [] : [`not ready: ${listText(others.map(nameOf))}`]),
    ...(terminating.length === 0 ? [] : [`terminating, and not serving: ${listText(terminating.map(nameOf))}`]),
  ]
}

/** `10.244.1.1:8080 on node-1`. */
export function endpointText({ text, nodeName }: Endpoint): string {
  return nodeName === '' ? text : `${text} on ${nodeName}`
}

/** Each node once, in the order of its first endpoint; that of an endpoint is said where it is not known. */
function nodesOf(endpoints: readonly Endpoint[]): readonly string[] {
  return [...new Set(endpoints.map(({ text, nodeName }) => (nodeName === '' ? `that of ${text}` : nodeName)))]
}
