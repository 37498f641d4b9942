// An interpreter of `iptables-restore --noflush`, limited to tables: from text to chains of rule texts. It models the
// behavior of the tools and is independent of the library, so that neither can repeat an error of the other.

/** An object, so that a retained rule is the same object: its counters would be retained, too. */
export interface HeldRule {
  /** The text after `-A CHAIN `. */
  readonly spec: string
}

export type HeldTable = ReadonlyMap<string, readonly HeldRule[]>
export type HeldTables = ReadonlyMap<string, HeldTable>

const BUILT_IN: Readonly<Record<string, readonly string[]>> = {
  nat: ['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING'],
  filter: ['INPUT', 'FORWARD', 'OUTPUT'],
  mangle: ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'],
}

const TARGETS = ['ACCEPT', 'DROP', 'RETURN', 'REJECT', 'MARK', 'MASQUERADE', 'DNAT', 'REDIRECT']

/** Tables with built-in chains and no rules. */
export const EMPTY_TABLES: HeldTables = new Map(
  Object.entries(BUILT_IN).map(([table, chains]) => [table, new Map(chains.map((chain) => [chain, []]))]),
)

/** Applies the input to the tables. Calls `onCommit` for each COMMIT. Throws if the tools would fail. */
export function restore(
  tables: HeldTables,
  input: string,
  onCommit: (tables: HeldTables, table: string) => void = () => {},
): HeldTables {
  const result = new Map(tables)
  let open: { name: string; chains: Map<string, HeldRule[]> } | undefined
  if (input !== '' && !input.endsWith('\n')) throw new Error('no newline at the end')
  for (const line of input.split('\n').slice(0, -1)) {
    if (line.startsWith('*')) {
      if (open !== undefined) throw new Error(`${line} before COMMIT`)
      const name = line.slice(1)
      const known = result.get(name)
      if (known === undefined) throw new Error(`no table ${name}`)
      open = { name, chains: new Map(Array.from(known, ([chain, rules]) => [chain, [...rules]])) }
    } else if (open === undefined) {
      throw new Error(`outside of a table: ${line}`)
    } else if (line === 'COMMIT') {
      for (const chain of open.chains.keys()) checkJumps(open.chains, chain)
      result.set(open.name, open.chains)
      onCommit(result, open.name)
      open = undefined
    } else {
      runLine(open.chains, BUILT_IN[open.name] ?? [], line)
    }
  }
  if (open !== undefined) throw new Error('no COMMIT')
  return result
}

/** Returns the chain that a rule jumps or goes to; undefined for other targets. */
export function jumpOf({ spec }: HeldRule): string | undefined {
  const unquoted = spec.replaceAll(/"[^"]*"/g, '""')
  const target = /(?:^| )(?:-j|-g) (\S+)/.exec(unquoted)?.[1]
  return target === undefined || TARGETS.includes(target) ? undefined : target
}

type Chains = Map<string, HeldRule[]>

function runLine(chains: Chains, builtIn: readonly string[], line: string): void {
  const declared = /^:(\S+) (ACCEPT|DROP|-) \[\d+:\d+\]$/.exec(line)
  if (declared !== null) {
    const chain = declared[1] ?? ''
    if (chain.length > 28) throw new Error(`long name: ${line}`)
    if (!builtIn.includes(chain)) chains.set(chain, [])
    return
  }
  const command = /^-([AIRDNXF]) (\S+)(?: (\d+)(?= |$))?(?: (.*))?$/.exec(line)
  if (command === null) throw new Error(`cannot read: ${line}`)
  const [, letter, chain = '', number, spec = ''] = command
  if (letter === 'N') {
    if (chains.has(chain)) throw new Error(`exists: ${line}`)
    chains.set(chain, [])
    return
  }
  const rules = chains.get(chain)
  if (rules === undefined) throw new Error(`no chain: ${line}`)
  if (letter === 'X') removeChain(chains, builtIn, chain)
  else if (letter === 'F') rules.length = 0
  else editRules(rules, letter ?? '', number === undefined ? undefined : Number(number), spec, line)
  checkJumps(chains, chain)
}

function editRules(rules: HeldRule[], letter: string, number: number | undefined, spec: string, line: string): void {
  const last = letter === 'I' ? rules.length + 1 : rules.length
  if (number !== undefined && (number < 1 || number > last)) throw new Error(`bad number: ${line}`)
  switch (letter) {
    case 'A':
      rules.push({ spec })
      break
    case 'I':
      rules.splice((number ?? 1) - 1, 0, { spec })
      break
    case 'R':
      if (number === undefined) throw new Error(`no number: ${line}`)
      if (rules[number - 1]?.spec === spec) throw new Error(`replaces a rule by itself: ${line}`)
      rules[number - 1] = { spec }
      break
    case 'D': {
      const at = number === undefined ? rules.findIndex((rule) => rule.spec === spec) : number - 1
      if (at < 0) throw new Error(`no such rule: ${line}`)
      rules.splice(at, 1)
    }
  }
}

function removeChain(chains: Chains, builtIn: readonly string[], chain: string): void {
  if (builtIn.includes(chain)) throw new Error(`built in: ${chain}`)
  if (chains.get(chain)?.length !== 0) throw new Error(`not empty: ${chain}`)
  for (const [from, rules] of chains) {
    if (rules.some((rule) => jumpOf(rule) === chain)) throw new Error(`${from} leads to ${chain}`)
  }
  chains.delete(chain)
}

/** The chain that old versions of kube-proxy jump to without creating it. */
const MADE_BY_KUBELET = 'KUBE-MARK-DROP'

function checkJumps(chains: Chains, chain: string): void {
  for (const rule of chains.get(chain) ?? []) {
    const target = jumpOf(rule)
    if (target !== undefined && !chains.has(target) && target !== MADE_BY_KUBELET)
      throw new Error(`${chain} leads to ${target}, which does not exist`)
  }
}
