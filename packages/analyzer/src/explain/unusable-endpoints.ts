import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import { formatList } from './format-list.js'

/**
 * Describes why a service port has no usable endpoint: `no endpoints`, or `no usable endpoint; not ready:
 * 10.244.1.1:8080 on node-1`.
 */
export function describeMissingEndpoints(endpoints: readonly Endpoint[]): string {
  if (endpoints.length === 0) return 'no endpoints'
  return ['no usable endpoint', ...describeEndpointConditions(endpoints, formatEndpoint)].join('; ')
}

/**
 * Describes why this node has no usable endpoint: `no endpoint on this node is usable; not ready: 10.244.1.1:8080;
 * nodes with an endpoint: node-2, node-3`.
 */
export function describeMissingLocalEndpoints(endpoints: readonly Endpoint[]): string {
  const here = endpoints.filter(({ local }) => local)
  const nodes = formatNodesWithEndpoints(endpoints)
  return [
    'no endpoint on this node is usable',
    ...describeEndpointConditions(here, ({ text }) => text),
    ...(nodes === '' ? [] : [`nodes with an endpoint: ${nodes}`]),
  ].join('; ')
}

/**
 * Returns the nodes with a usable endpoint, if this node has none: `node-2, node-3`. Empty if there are no such nodes.
 */
export function formatNodesWithEndpoints(endpoints: readonly Endpoint[]): string {
  return formatList(nodesOf(endpoints.filter(isUsable)))
}

/**
 * Reports whether an endpoint is ready, or still serves connections while it terminates. A traffic policy or a better
 * endpoint may still keep this node from using the endpoint.
 */
function isUsable({ ready, serving, terminating }: Endpoint): boolean {
  return ready || (serving && terminating)
}

/**
 * Returns the reasons why endpoints are unusable: `not ready: 10.244.1.1:8080`,
 * `terminating, and not serving: 10.244.1.2:8080`.
 */
export function describeEndpointConditions(
  endpoints: readonly Endpoint[],
  nameOf: (endpoint: Endpoint) => string,
): readonly string[] {
  const terminating = endpoints.filter((endpoint) => endpoint.terminating)
  const others = endpoints.filter((endpoint) => !endpoint.terminating)
  return [
    ...(others.length === 0 ? [] : [`not ready: ${formatList(others.map(nameOf))}`]),
    ...(terminating.length === 0 ? [] : [`terminating, and not serving: ${formatList(terminating.map(nameOf))}`]),
  ]
}

/** Formats an endpoint: `10.244.1.1:8080 on node-1`. */
export function formatEndpoint({ text, nodeName }: Endpoint): string {
  return nodeName === '' ? text : `${text} on ${nodeName}`
}

/**
 * Returns the distinct nodes in the order of their first endpoints. In place of an unknown node, the result contains
 * the endpoint.
 */
function nodesOf(endpoints: readonly Endpoint[]): readonly string[] {
  return [...new Set(endpoints.map(({ text, nodeName }) => (nodeName === '' ? `that of ${text}` : nodeName)))]
}
