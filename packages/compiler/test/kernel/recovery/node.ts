import type { IpFamily } from '@kube-rules/types'
import { parseNftables } from '../../../../analyzer/src/dataplane/nftables/parse/parse.js'
import type { CompileResult } from '../../../src/compilation/compile-result.js'
import { canonicalize } from '../../../src/dataplane/nftables/canonical.js'
import type { IptablesBackend } from '../../../src/dataplane/tool-options.js'
import { printFamily } from '../../support/print-family.js'
import { jumpText, tablesOf } from '../real-inputs.js'
import { type CommandExecutor, type Ran, succeeded } from '../sandbox/sandbox.js'
import { FAMILIES, iptablesTools, withoutComments, withoutMadeUp } from '../sandbox/tools.js'

// Reads the rules of all modes from a node, and the rules of a new node that has loaded the full text.

export interface NodeKind {
  readonly backend: IptablesBackend
  /**
   * The part of ipvs mode that the kernel supports. `ignored`: the test does not look at sets, servers and addresses.
   * `partly`: the kernel lacks ip_vs, so there are no virtual servers, a comment replaces each match `ipvs`, and a
   * bridge replaces the dummy device. `whole`: everything.
   */
  readonly ipvs: 'ignored' | 'partly' | 'whole'
}

/** The path prevents busybox, the shell of the virtual machine, from using its own limited `ip`. */
const IP = '/usr/sbin/ip'

const NFT_FAMILIES: Readonly<Record<IpFamily, string>> = { IPv4: 'ip', IPv6: 'ip6' }
const HEADING = /^=== (.*)\n/gm

/** Rules of another program, which every node has. */
export const FOREIGN_CHAIN = 'OTHERS'
export const FOREIGN_JUMP = `-A INPUT -p tcp -m tcp --dport 22 -j ${FOREIGN_CHAIN}`
const FOREIGN_RULES = `*filter\n:${FOREIGN_CHAIN} - [0:0]\n${FOREIGN_JUMP}\nCOMMIT\n`

/** Returns the shell commands that set up a new network namespace as a node without rules of kube-proxy. */
export function setUpText(kind: NodeKind): string {
  return `${IP} link set lo up\n${FAMILIES.map((family) => tablesText(family, kind)).join('')}`
}

/** Returns the shell commands that print all rules, each part after a heading. */
function dumpText(kind: NodeKind): string {
  return [
    ...FAMILIES.map((family) => tablesDump(family, kind)),
    'tables=$(nft list tables)\n',
    ...FAMILIES.map(
      (family) => `case "$tables" in *'${NFT_FAMILIES[family]} kube-proxy'*) ${nftDump(family)};; esac\n`,
    ),
    ...(kind.ipvs === 'ignored' ? [] : [SETS_DUMP]),
    ...(kind.ipvs === 'whole' ? [`echo '=== ipvs'; ipvsadm -Sn\n`] : []),
  ].join('')
}

function tablesDump(family: IpFamily, { backend }: NodeKind): string {
  return `echo '=== ${family} iptables'; ${iptablesTools(family, backend).save}\n`
}

function nftDump(family: IpFamily): string {
  return `echo '=== ${family} nftables'; nft list table ${NFT_FAMILIES[family]} kube-proxy`
}

const SETS_DUMP = `echo '=== ipset'
ipset save
echo '=== addresses'
${IP} -o address show dev kube-ipvs0 2> /dev/null || :
`

const PROTOCOL_NUMBERS: Readonly<Record<string, string>> = { tcp: '6', udp: '17', sctp: '132' }

/** Replaces the parts of a tool's input that the kernel of this kind of node does not support. */
export function forKernel(text: string, { ipvs }: NodeKind): string {
  if (ipvs !== 'partly') return text
  return (
    text
      .replace(/(?<=\btype\s)dummy$/gm, 'bridge')
      // The tools print the protocol as a number.
      .replace(/(?<=--vproto )(?:tcp|udp|sctp)\b/g, (name) => PROTOCOL_NUMBERS[name] ?? name)
      .replace(/-m ipvs (--vaddr \S+ --vproto \S+ --vport \d+)/g, '-m comment --comment "$1"')
  )
}

function fromKernel(text: string, { ipvs }: NodeKind): string {
  return ipvs === 'partly' ? text.replace(/-m comment --comment "(--vaddr [^"]+)"/g, '-m ipvs $1') : text
}

interface NodeDump {
  /** The output of the tools without headings, as the library reads it. */
  readonly text: string
  /** The rules in a form that is equal for two nodes with equivalent rules, whatever commands created them. */
  readonly parts: NodeParts
}

/** The lines of each part of a dump, by its heading. */
export type NodeParts = Readonly<Record<string, readonly string[]>>

/** Returns the lines of the node `one` that the node `other` does not have. */
export function linesWithout(one: NodeParts, other: NodeParts): readonly string[] {
  return Object.entries(one).flatMap(([part, lines]) => {
    const counts = new Map<string, number>()
    for (const line of other[part] ?? []) counts.set(line, (counts.get(line) ?? 0) + 1)
    return lines.flatMap((line) => {
      const left = counts.get(line) ?? 0
      counts.set(line, left - 1)
      return left > 0 ? [] : [`${part}: ${line}`]
    })
  })
}

/** The chain KUBE-FIREWALL, its rule and the jumps to it. The kubelet creates them, too. */
const OF_KUBELET = / \*filter (?::KUBE-FIREWALL |-A KUBE-FIREWALL |-A (?:INPUT|OUTPUT) -j KUBE-FIREWALL$)/

/**
 * Returns the lines that a new node does not have. Excludes lines that the kubelet also creates, because kube-proxy
 * does not remove these lines.
 */
export function linesBeside(held: NodeParts, fresh: NodeParts): readonly string[] {
  return linesWithout(held, fresh).filter((line) => !OF_KUBELET.test(line))
}

export async function dumpNode(run: CommandExecutor, kind: NodeKind): Promise<NodeDump> {
  return readParts(await run(['sh', '-e'], dumpText(kind)), kind)
}

/** A cache of the last loaded texts, with the resulting rules. */
const loaded = new Map<string, Promise<NodeParts>>()
const MAX_LOADED = 30

/** Loads the full text of a result on a new node, and returns the rules there. */
export async function dumpOfFreshLoad(run: CommandExecutor, result: CompileResult, kind: NodeKind): Promise<NodeParts> {
  const parts = freshTexts(result, kind).map((text) => {
    const known = loaded.get(text)
    const found = known ?? run(['unshare', '--net', '--', 'sh', '-e'], text).then((ran) => readParts(ran, kind).parts)
    loaded.delete(text)
    loaded.set(text, found)
    return found
  })
  for (const [oldest] of loaded) if (loaded.size > MAX_LOADED) loaded.delete(oldest)
  return Object.assign({}, ...(await Promise.all(parts)))
}

/** Returns the shell scripts that load and print the rules, one script for each independent part. */
function freshTexts(result: CompileResult, kind: NodeKind): readonly string[] {
  const tables = FAMILIES.map((family) => tablesText(family, kind, result) + tablesDump(family, kind))
  if (result.mode === 'nftables') {
    const loads = result.families.map(({ family }) => ({ family, text: printFamily(result, { family }) }))
    return [...tables, ...loads.map(({ family, text }) => `${heredoc('nft -f -', text)}${nftDump(family)}\n`)]
  }
  if (result.mode !== 'ipvs') return tables
  // One script contains everything, because the rules need the sets, and ipset and ipvsadm print both families
  // together.
  const sets = result.families.map(({ family }) => ipvsText(family, kind, result))
  const rules = FAMILIES.map((family) => tablesText(family, kind, result))
  return [[`${IP} link set lo up\n`, ...sets, ...rules, dumpText(kind)].join('')]
}

function readParts(ran: Ran, kind: NodeKind): NodeDump {
  succeeded(ran)
  const output = fromKernel(ran.stdout, kind)
  const [, ...found] = output.split(HEADING)
  const parts: Record<string, readonly string[]> = {}
  for (let index = 0; index < found.length; index += 2) {
    const [name = '', text = ''] = found.slice(index, index + 2)
    const read = name.includes('nftables') ? readTable : name.includes('iptables') ? readTables : readLines
    parts[name] = read(text)
  }
  return { text: output.replace(HEADING, ''), parts }
}

/**
 * Sorts the lines, because the order of Services in a common chain has no meaning. `verify` checks the order of the
 * other rules.
 */
function readTables(text: string): readonly string[] {
  const tables = withoutComments(text).match(/^\*.*?^COMMIT\n/gms) ?? []
  return tables.flatMap((table) => {
    const [heading, ...lines] = table.replace(/ \[\d+:\d+\]$/gm, '').split('\n')
    const held = lines.filter((line) => /^-A|^:\S+ (?:-|DROP)/.test(line))
    return held.map((line) => `${heading} ${line}`).sort()
  })
}

function readTable(text: string): readonly string[] {
  const parsed = parseNftables(text)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.value.map((table) => JSON.stringify(canonicalize(table), null, 1)).flatMap((table) => table.split('\n'))
}

function readLines(text: string): readonly string[] {
  // Removes device numbers, lifetimes and address labels, which have no meaning. The kernel numbers the labels of a
  // renamed device.
  const lines = withoutMadeUp(text)
    .replace(/ hashsize \d+/g, '')
    .replace(/^\d+: |\\ .*$/gm, '')
    .replace(/(?<= scope global) kube-ipvs0(?::\d+)?$/gm, '')
  return lines.split('\n').filter(Boolean).sort()
}

/**
 * Returns the shell command that loads the iptables rules of one family of a result, and the rules of the other
 * program.
 */
function tablesText(family: IpFamily, kind: NodeKind, result?: CompileResult): string {
  const isWithout = result === undefined || result.mode === 'nftables'
  const own = isWithout ? undefined : result.families.find((each) => each.family === family)
  const options = { family, ...(result?.mode === 'ipvs' && { subsystem: 'iptables' as const }) }
  const rules = result && own ? jumpText(tablesOf(result, family)) + printFamily(result, options) : ''
  return heredoc(`${iptablesTools(family, kind.backend).restore} --noflush`, forKernel(FOREIGN_RULES + rules, kind))
}

function ipvsText(family: IpFamily, kind: NodeKind, result: CompileResult): string {
  const addresses = forKernel(printFamily(result, { family, subsystem: 'addresses' }), kind)
  return [
    heredoc('ipset restore -exist', printFamily(result, { family, subsystem: 'ipset' })),
    kind.ipvs === 'whole' ? heredoc('ipvsadm -R', printFamily(result, { family, subsystem: 'ipvs' })) : '',
    // Ignores errors, because the device may exist already, from the other family.
    heredoc(`{ ${IP} -force -batch - 2> /dev/null || :; }`, addresses),
  ].join('')
}

function heredoc(command: string, text: string): string {
  return `${command} <<'END OF TEXT'\n${text}END OF TEXT\n`
}
