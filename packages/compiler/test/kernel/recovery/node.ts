import type { IpFamily } from '@kube-rules/types'
import { parseNftables } from '../../../../analyzer/src/dataplane/nftables/parse/parse.js'
import type { CompileResult } from '../../../src/compilation/compile-result.js'
import { canonicalize } from '../../../src/dataplane/nftables/canonical.js'
import type { IptablesBackend } from '../../../src/dataplane/tool-options.js'
import { printFamily } from '../../support/print-family.js'
import { jumpText, tablesOf } from '../real-inputs.js'
import { type CommandExecutor, type Ran, succeeded } from '../sandbox/sandbox.js'
import { FAMILIES, iptablesTools, withoutComments, withoutMadeUp } from '../sandbox/tools.js'

// What a node holds of all modes, and what a new one holds after a load of the full text.

export interface NodeKind {
  readonly backend: IptablesBackend
  /**
   * What its kernel has of mode ipvs: nothing that is looked at; all but ip_vs, without virtual servers, with a comment for each match
   * of ipvs, and with a bridge for the device of the addresses; or everything.
   */
  readonly ipvs: 'ignored' | 'partly' | 'whole'
}

/** The path prevents busybox, the shell of the virtual machine, from using its own limited `ip`. */
const IP = '/usr/sbin/ip'

const NFT_FAMILIES: Readonly<Record<IpFamily, string>> = { IPv4: 'ip', IPv6: 'ip6' }
const HEADING = /^=== (.*)\n/gm

/** What others have on every node. */
export const FOREIGN_CHAIN = 'OTHERS'
export const FOREIGN_JUMP = `-A INPUT -p tcp -m tcp --dport 22 -j ${FOREIGN_CHAIN}`
const FOREIGN_RULES = `*filter\n:${FOREIGN_CHAIN} - [0:0]\n${FOREIGN_JUMP}\nCOMMIT\n`

/** What makes a new network namespace such a node, in which nothing of kube-proxy is. */
export function setUpText(kind: NodeKind): string {
  return `${IP} link set lo up\n${FAMILIES.map((family) => tablesText(family, kind)).join('')}`
}

/** Prints everything, each part below a line that names it. */
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

/** Returns the text of a tool with only what the kernel of such a node has. */
export function forKernel(text: string, { ipvs }: NodeKind): string {
  if (ipvs !== 'partly') return text
  return (
    text
      .replace(/(?<=\btype\s)dummy$/gm, 'bridge')
      // The tools print the number of the protocol.
      .replace(/(?<=--vproto )(?:tcp|udp|sctp)\b/g, (name) => PROTOCOL_NUMBERS[name] ?? name)
      .replace(/-m ipvs (--vaddr \S+ --vproto \S+ --vport \d+)/g, '-m comment --comment "$1"')
  )
}

function fromKernel(text: string, { ipvs }: NodeKind): string {
  return ipvs === 'partly' ? text.replace(/-m comment --comment "(--vaddr [^"]+)"/g, '-m ipvs $1') : text
}

interface NodeDump {
  /** What `parse` reads. */
  readonly text: string
  /** In a form in which two nodes with the same rules are equal, however they came to them. */
  readonly parts: NodeParts
}

/** The lines of each part. */
export type NodeParts = Readonly<Record<string, readonly string[]>>

/** The lines of one node that another lacks. */
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

/** KUBE-FIREWALL, the jumps there and the rule in it, which kubelets make, too. */
const OF_KUBELET = / \*filter (?::KUBE-FIREWALL |-A KUBE-FIREWALL |-A (?:INPUT|OUTPUT) -j KUBE-FIREWALL$)/

/** What a node holds beside what a new one has. kube-proxy leaves what kubelets make, too. */
export function linesBeside(held: NodeParts, fresh: NodeParts): readonly string[] {
  return linesWithout(held, fresh).filter((line) => !OF_KUBELET.test(line))
}

export async function dumpNode(run: CommandExecutor, kind: NodeKind): Promise<NodeDump> {
  return readParts(await run(['sh', '-e'], dumpText(kind)), kind)
}

/** Of the texts that were loaded last what came of them. */
const loaded = new Map<string, Promise<NodeParts>>()
const MOST_LOADED = 30

/** What a new node holds after a load of the full text of a result. */
export async function dumpOfFreshLoad(run: CommandExecutor, result: CompileResult, kind: NodeKind): Promise<NodeParts> {
  const parts = freshTexts(result, kind).map((text) => {
    const known = loaded.get(text)
    const found = known ?? run(['unshare', '--net', '--', 'sh', '-e'], text).then((ran) => readParts(ran, kind).parts)
    loaded.delete(text)
    loaded.set(text, found)
    return found
  })
  for (const [oldest] of loaded) if (loaded.size > MOST_LOADED) loaded.delete(oldest)
  return Object.assign({}, ...(await Promise.all(parts)))
}

/** What loads and prints the parts that do not depend on each other. */
function freshTexts(result: CompileResult, kind: NodeKind): readonly string[] {
  const tables = FAMILIES.map((family) => tablesText(family, kind, result) + tablesDump(family, kind))
  if (result.mode === 'nftables') {
    const loads = result.families.map(({ family }) => ({ family, text: printFamily(result, { family }) }))
    return [...tables, ...loads.map(({ family, text }) => `${heredoc('nft -f -', text)}${nftDump(family)}\n`)]
  }
  if (result.mode !== 'ipvs') return tables
  // The rules need the sets, and the tools print both families at once.
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

/** Lines in any order: Service ports may stand in any order in the chains that they share. `verify` looks at the order of the rest. */
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
  // Numbers of devices and lifetimes have no meaning, nor have the labels of addresses: the kernel numbers those of a renamed device.
  const lines = withoutMadeUp(text)
    .replace(/ hashsize \d+/g, '')
    .replace(/^\d+: |\\ .*$/gm, '')
    .replace(/(?<= scope global) kube-ipvs0(?::\d+)?$/gm, '')
  return lines.split('\n').filter(Boolean).sort()
}

/** What loads the iptables rules of one family of a result, and those of others. */
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
    // The device of the other family exists already.
    heredoc(`{ ${IP} -force -batch - 2> /dev/null || :; }`, addresses),
  ].join('')
}

function heredoc(command: string, text: string): string {
  return `${command} <<'END OF TEXT'\n${text}END OF TEXT\n`
}
