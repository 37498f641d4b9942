import type { Diagnostic, ObjectReference } from '@kube-rules/types'
import type { PortRange, UserspaceSettings } from '../../model/configuration/settings.js'
import type { ServicePortId } from '../../model/services/service-port.js'
import type { UserspaceContribution } from './userspace-contribution.js'

/**
 * The port of the userspace proxy for a service port. `identity` represents the service-port properties that the port
 * was opened for.
 */
export interface ProxyPort {
  readonly port: number
  readonly identity: string
}

/**
 * The ports of the userspace proxy. The key is the name of a service port without its protocol, because the userspace
 * proxy distinguishes service ports only by name.
 */
export type ProxyPorts = ReadonlyMap<string, ProxyPort>

export interface ProxyPortAssignment {
  readonly ports: ProxyPorts
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * The default port range. It starts after the default range of node ports, near the first port that the kernel would
 * choose.
 */
const ANY_PORT: PortRange = { first: 40_000, last: 65_535 }

const HOST: ObjectReference = { kind: 'Host', name: 'host' }

/**
 * Chooses the port of each service port in the userspace proxy. A port that is specified for the service port is used,
 * unless it is a node port or already belongs to an earlier service port. Otherwise, the previous port is kept while
 * the identity of the service port is unchanged. All other service ports get the lowest free ports, in order. A free
 * port is neither a node port nor a specified port. Previous ports are used only if no other ports are free, so that a
 * changed service port gets another port. If no port is free, a service port is not opened.
 *
 * Unlike this function, kube-proxy uses any free port (in `portRange`, or chosen by the kernel).
 */
export function assignProxyPorts(
  parts: readonly UserspaceContribution[],
  { proxyPorts: given, portRange = ANY_PORT }: Pick<UserspaceSettings, 'proxyPorts' | 'portRange'>,
  before: ProxyPorts,
): ProxyPortAssignment {
  const opened = parts.filter(({ frontends }) => frontends.length > 0)
  const nodePorts = nodePortsOf(opened)
  const diagnostics: Diagnostic[] = []
  const ports = new Map<string, ProxyPort>()
  const holders = new Map<number, ServicePortId>()
  const take = ({ id, identity }: UserspaceContribution, port: number) => {
    holders.set(port, id)
    ports.set(id.text, { port, identity })
  }
  for (const part of opened) {
    const port = givenPort(given, part.id)
    if (port === undefined) continue
    const owner = nodePorts.get(port) ?? holders.get(port)
    if (owner === undefined) take(part, port)
    else diagnostics.push(portIgnored(part.id, port, owner, nodePorts.has(port)))
  }
  for (const part of opened) {
    const existing = before.get(part.id.text)
    if (existing === undefined || ports.has(part.id.text) || existing.identity !== part.identity) continue
    const isFree = !nodePorts.has(existing.port) && !holders.has(existing.port) && isWithin(existing.port, portRange)
    if (isFree) take(part, existing.port)
  }
  const waiting = opened.filter(({ id }) => !ports.has(id.text))
  const formerly = new Set(Array.from(before.values(), ({ port }) => port))
  const isTaken = (port: number) => nodePorts.has(port) || holders.has(port)
  const fresh = freePorts(portRange, (port) => !isTaken(port) && !formerly.has(port))
  const reused = freePorts(portRange, (port) => !isTaken(port))
  for (const part of waiting) {
    const port = fresh() ?? reused()
    if (port === undefined) diagnostics.push(noPort(part.id, portRange))
    else take(part, port)
  }
  return { ports, diagnostics: [...diagnostics, ...unusedPorts(given, parts)] }
}

function givenPort(given: UserspaceSettings['proxyPorts'], id: ServicePortId): number | undefined {
  const name = givenName(id)
  return Object.hasOwn(given, name) ? given[name] : undefined
}

/** Returns the name of a service port in `proxyPorts`. In all versions, this name has no colon at its end. */
function givenName({ text }: ServicePortId): string {
  return text.endsWith(':') ? text.slice(0, -1) : text
}

function nodePortsOf(parts: readonly UserspaceContribution[]): ReadonlyMap<number, ServicePortId> {
  const owners = new Map<number, ServicePortId>()
  for (const { id, frontends } of parts) {
    const last = frontends.at(-1)
    if (last?.kind === 'nodePort' && !owners.has(last.port)) owners.set(last.port, id)
  }
  return owners
}

function isWithin(port: number, { first, last }: PortRange): boolean {
  return port >= first && port <= last
}

/**
 * Creates a function that returns the next port for which `isFree` returns true at the time of the call. Returns
 * undefined after the last port.
 */
function freePorts({ first, last }: PortRange, isFree: (port: number) => boolean): () => number | undefined {
  let next = Math.max(first, 1)
  return () => {
    while (next <= last && !isFree(next)) next++
    return next <= last ? next++ : undefined
  }
}

function portIgnored({ text }: ServicePortId, port: number, owner: ServicePortId, isNodePort: boolean): Diagnostic {
  const what = isNodePort ? 'a node port of' : 'also assigned to'
  return ignored(text, `${port} is ${what} ${owner.text}: another port is used`)
}

function unusedPorts(
  given: UserspaceSettings['proxyPorts'],
  parts: readonly UserspaceContribution[],
): readonly Diagnostic[] {
  const names = Object.keys(given)
  if (names.length === 0) return []
  const known = new Set(parts.map(({ id }) => givenName(id)))
  return names.filter((name) => !known.has(name)).map((name) => ignored(name, 'no service port has this name', 'info'))
}

function ignored(name: string, message: string, severity: 'info' | 'warning' = 'warning'): Diagnostic {
  return { severity, code: 'proxyPortIgnored', object: HOST, path: `proxyPorts[${name}]`, message }
}

function noPort({ namespace, name, text }: ServicePortId, { first, last }: PortRange): Diagnostic {
  const object: ObjectReference = { kind: 'Service', namespace, name }
  const message = `all ports from ${first} to ${last} are in use: ${text} has no rules`
  return { severity: 'warning', code: 'noProxyPort', object, message }
}
