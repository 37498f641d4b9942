import fc from 'fast-check'
import { parseDump } from '../../../../analyzer/src/dump/parse-dump.js'
import { printTable } from '../../../src/dataplane/nftables/print/print-commands.js'
import { mutateTable, tableMutations } from '../../support/nftables-mutations.js'
import { mutationLists, mutationText } from '../mutations.js'
import { type CommandExecutor, succeeded } from '../sandbox/sandbox.js'
import { FAMILIES, iptablesTools } from '../sandbox/tools.js'
import { dumpNode, FOREIGN_CHAIN, FOREIGN_JUMP, type NodeKind } from './node.js'
import type { Random } from './random.js'

// Changes that an administrator makes on a node by hand.

const IPTABLES_MUTATIONS = mutationLists(200).flat()
const NFTABLES_MUTATIONS = fc.sample(tableMutations, { numRuns: 400, seed: 9 })

/** Changes some of kube-proxy's rules, sets or servers. Returns false if nothing was changed. */
export async function editByHand(run: CommandExecutor, kind: NodeKind, random: Random): Promise<boolean> {
  const edits = {
    ignored: [editTables],
    partly: [editTables, editSets],
    whole: [editTables, editTables, editSets, editIpvs],
  }[kind.ipvs]
  return random.oneOf(edits)(run, kind, random)
}

/** Flushes or deletes kube-proxy's rules, as an administrator does to start from a clean node. */
export async function flushByHand(run: CommandExecutor, { backend }: NodeKind, random: Random): Promise<void> {
  const family = random.oneOf(FAMILIES)
  const { command } = iptablesTools(family, backend)
  const table = family === 'IPv4' ? 'ip' : 'ip6'
  const paths = [
    `${command} -t nat -F; ${command} -t nat -X`,
    `${command} -t filter -F KUBE-SERVICES || :; ${command} -t nat -F KUBE-SERVICES || :`,
    `nft delete table ${table} kube-proxy || :`,
    `nft flush table ${table} kube-proxy || :`,
  ]
  await run(['sh', '-c', random.oneOf(paths)])
}

async function editTables(run: CommandExecutor, kind: NodeKind, random: Random): Promise<boolean> {
  const { text } = await dumpNode(run, kind)
  const edits = [editChains, editTable]
  for (const edit of random.once(2) ? edits : edits.reverse()) if (await edit(run, kind, random, text)) return true
  return false
}

async function editChains(run: CommandExecutor, { backend }: NodeKind, random: Random): Promise<boolean> {
  const { restore, save } = iptablesTools(random.oneOf(FAMILIES), backend)
  const { stdout } = await run([save])
  if (!/^-A KUBE-/m.test(stdout)) return false
  const mutation = mutationText(stdout, random.oneOf(IPTABLES_MUTATIONS), FOREIGN_CHAIN)
  if (mutation === undefined) return false
  // A flush of INPUT also removes the jump of the other program, which is therefore added again.
  const text = mutation.replace(/^-F INPUT$/m, `-F INPUT\n${FOREIGN_JUMP}`)
  const { status } = await run([restore, '--noflush'], text)
  return status === 0
}

async function editTable(run: CommandExecutor, _: NodeKind, random: Random, text: string): Promise<boolean> {
  const parsed = parseDump(text)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const tables = FAMILIES.flatMap((family) => parsed.value[family].nftables?.tables ?? [])
  if (tables.length === 0) return false
  const table = random.oneOf(tables)
  const mutated = mutateTable(table, random.oneOf(NFTABLES_MUTATIONS))
  if (mutated === 'unchanged') return false
  const remake = mutated === undefined ? '' : printTable(mutated)
  const { status } = await run(['nft', '-f', '-'], `delete table ${table.family} ${table.name}\n${remake}`)
  if (status !== 0) return false
  // nft 1.0.6 loads some rules that it cannot list: it aborts.
  const listed = await run(['nft', 'list', 'table', table.family, table.name])
  if (mutated !== undefined && listed.status !== 0) {
    succeeded(await run(['nft', '-f', '-'], `delete table ${table.family} ${table.name}\n${printTable(table)}`))
    return false
  }
  return true
}

async function editIpvs(run: CommandExecutor, _: NodeKind, random: Random): Promise<boolean> {
  const { stdout } = await run(['ipvsadm', '-Sn'])
  const lines = stdout.split('\n').filter(Boolean)
  if (lines.length === 0) return false
  const [verb, protocol, address, ...rest] = random.oneOf(lines).split(' ')
  const removal = verb === '-A' ? ['-D', protocol, address] : ['-d', protocol, address, ...rest.slice(0, 2)]
  const addition = ['-a', protocol, address, '-r', '10.9.9.9:99', '-m']
  const edit = random.once(3) && address?.includes('.') ? addition : removal
  const { status } = await run(['ipvsadm', ...edit.map(String)])
  return status === 0
}

async function editSets(run: CommandExecutor, _: NodeKind, random: Random): Promise<boolean> {
  const { stdout } = await run(['ipset', 'save'])
  const entries = stdout.split('\n').filter((line) => line.startsWith('add KUBE-'))
  if (entries.length === 0) return false
  const [, set = '', entry = ''] = random.oneOf(entries).split(' ')
  const edit = random.once(4) ? ['flush', set] : ['del', set, entry]
  const { status } = await run(['ipset', ...edit])
  return status === 0
}
