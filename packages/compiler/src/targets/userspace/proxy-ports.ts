import type { Diagnostic, ObjectReference } from '@kube-rules/types'
import type { PortRange, ProcessSettings } from '../../model/configuration/settings.js'
import type { ServicePortId } from '../../model/services/service-port.js'
import type { ProxiedPart } from './proxied-part.js'

/** The port of the process for a service port, and what it was opened for. */
export interface ProxyPort {
  readonly port: number
  readonly identity: string
}

/** By service port, without its protocol: the process tells them by their names. */
export type ProxyPorts = ReadonlyMap<string, ProxyPort>

export interface ChosenPorts {
  readonly ports: ProxyPorts
  readonly diagnostics: readonly Diagnostic[]
}

/** Where nothing is said of ports: node ports end before, and the kernel begins to choose ports of its own not far from here. */
const ANY_PORT: PortRange = { first: 40_000, last: 65_535 }

const HOST: ObjectReference = { kind: 'Host', name: 'host' }

/**
 * The port at which the process listens for each service port. One that is given counts, unless an earlier service port has it,
 * or it is a node port. One of before stays for as long as the service port is what it was opened for. Others are the lowest
 * free ones, in the order of service ports: neither node ports nor given, and not one of before as long as there are others, so
 * that a service port that has changed has another one. Without a free one a service port is not opened.
 *
 * kube-proxy takes any port that is free (`portRange`, or of the kernel's choice).
 */
export function chooseProxyPorts(
  parts: readonly ProxiedPart[],
  { proxyPorts: given, portRange = ANY_PORT }: Pick<ProcessSettings, 'proxyPorts' | 'portRange'>,
  before: ProxyPorts,
): ChosenPorts {
  const opened = parts.filter(({ frontends }) => frontends.length > 0)
  const nodePorts = nodePortsOf(opened)
  const diagnostics: Diagnostic[] = []
  const ports = new Map<string, ProxyPort>()
  const holders = new Map<number, ServicePortId>()
  const take = ({ id, identity }: ProxiedPart, port: number) => {
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
    const known = before.get(part.id.text)
    if (known === undefined || ports.has(part.id.text) || known.identity !== part.identity) continue
    const isFree = !nodePorts.has(known.port) && !holders.has(known.port) && isWithin(known.port, portRange)
    if (isFree) take(part, known.port)
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

function givenPort(given: ProcessSettings['proxyPorts'], { text }: ServicePortId): number | undefined {
  return Object.hasOwn(given, text) ? given[text] : undefined
}

function nodePortsOf(parts: readonly ProxiedPart[]): ReadonlyMap<number, ServicePortId> {
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

/** Gives the next port for which `isFree` holds when it is asked; undefined after the last one. */
function freePorts({ first, last }: PortRange, isFree: (port: number) => boolean): () => number | undefined {
  let next = Math.max(first, 1)
  return () => {
    while (next <= last && !isFree(next)) next++
    return next <= last ? next++ : undefined
  }
}

function portIgnored({ text }: ServicePortId, port: number, owner: ServicePortId, isNodePort: boolean): Diagnostic {
  const what = isNodePort ? 'a node port of' : 'also given for'
  return ignored(text, `${port} is ${what} ${owner.text}: another port is taken`)
}

function unusedPorts(given: ProcessSettings['proxyPorts'], parts: readonly ProxiedPart[]): readonly Diagnostic[] {
  const names = Object.keys(given)
  if (names.length === 0) return []
  const known = new Set(parts.map(({ id }) => id.text))
  return names.filter((name) => !known.has(name)).map((name) => ignored(name, 'no service port has this name', 'info'))
}

function ignored(name: string, message: string, severity: 'info' | 'warning' = 'warning'): Diagnostic {
  return { severity, code: 'proxyPortIgnored', object: HOST, path: `proxyPorts[${name}]`, message }
}

function noPort({ namespace, name, text }: ServicePortId, { first, last }: PortRange): Diagnostic {
  const object: ObjectReference = { kind: 'Service', namespace, name }
  const message = `all ports from ${first} to ${last} are taken: ${text} has no rules`
  return { severity: 'warning', code: 'noProxyPort', object, message }
}
