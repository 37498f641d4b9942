/** Destination ports. */
export type Ports = 'all' | ReadonlySet<string>

/** Packets, by what they are for: addresses, and which ports of each. */
export type Reach = ReadonlyMap<string, Ports>

/** In place of an address: every address of the node, whichever these are. */
export const LOCAL = 'local'

/** Which packets come to something that has a name; undefined where they may be for any address. */
export type ReachOf = (name: string) => Reach | undefined

export const TO_LOCAL: Reach = new Map([[LOCAL, 'all']])

export const NOWHERE: Reach = new Map()

/** Packets for all ports of addresses. */
export function reachOfAddresses(addresses: Iterable<string>): Reach {
  return new Map(Array.from(addresses, (address) => [address, 'all']))
}

/** Undefined where one of them is. */
export function uniteReaches(all: Iterable<Reach | undefined>): Reach | undefined {
  const united = new Map<string, Ports>()
  for (const reach of all) {
    if (reach === undefined) return undefined
    for (const [address, ports] of reach) addReach(united, address, ports)
  }
  return united
}

export function addReach(reach: Map<string, Ports>, address: string, ports: Ports): void {
  const known = reach.get(address)
  reach.set(address, known === undefined ? ports : unitePorts(known, ports))
}

export function unitePorts(some: Ports, others: Ports): Ports {
  return some === 'all' || others === 'all' ? 'all' : new Set([...some, ...others])
}

export function sharePorts(some: Ports, others: Ports): boolean {
  if (some === 'all' || others === 'all') return true
  for (const port of some) if (others.has(port)) return true
  return false
}

/** A rule that leads from where it stands to something with a name. */
export interface Lead {
  readonly from: string
  readonly to: string
  /** Which packets the rule itself takes; undefined where it does not ask for their destination. */
  readonly takes: Reach | undefined
}

/** `roots` are where packets come without a rule, and what is not led to by these alone. */
export function reachOfLeads(leads: readonly Lead[], roots: ReadonlyMap<string, Reach | undefined>): ReachOf {
  const find = (name: string, behind: readonly string[]): Reach | undefined => {
    if (roots.has(name)) return roots.get(name)
    // What leads back adds nothing.
    const leading = leads.filter(({ to, from }) => to === name && !behind.includes(from))
    return uniteReaches(leading.map(({ from, takes }) => takes ?? find(from, [...behind, name])))
  }
  return remembered((name) => find(name, [name]))
}

/** Each name is looked up once. */
export function remembered<Found>(find: (name: string) => Found): (name: string) => Found {
  const known = new Map<string, Found>()
  return (name) => {
    if (!known.has(name)) known.set(name, find(name))
    return known.get(name) as Found
  }
}
