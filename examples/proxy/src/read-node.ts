import { parseDump } from '@kube-rules/analyzer'
import type { CompileResult, Dump, IpFamily, ProxyMode } from '@kube-rules/compiler'
import { addEmptyTables, createPermanentRuleChecks } from '@kube-rules/proxy-kit'
import type { MachineFiles } from './machine.js'
import { isMissing, outputOf, type RunTool } from './run-tool.js'

/** The tools of each mode that may not fail, besides iptables-save: otherwise rules of the mode would seem to be gone. */
const NECESSARY: Readonly<Record<string, readonly string[]>> = { nftables: ['nft'], ipvs: ['ipset', 'ipvsadm'] }

/** Reads the rules of all modes from the node. Rejects if a tool of `mode` fails. */
export async function readNode(
  run: RunTool,
  files: MachineFiles,
  families: readonly IpFamily[],
  mode?: ProxyMode,
): Promise<Dump> {
  const read = async (tool: string, ...args: readonly string[]) => {
    if (!NECESSARY[mode ?? '']?.includes(tool)) return (await outputOf(run, tool, ...args)) ?? ''
    const { status, stdout, stderr } = await run(tool, args)
    if (status !== 0) throw new Error(`${tool}: ${stderr.trim()}`)
    return stdout
  }
  const isIpvsLoaded = files.read('/proc/net/ip_vs') !== undefined
  const hasDevice = files.read('/proc/net/dev')?.includes('kube-ipvs0:') ?? false
  const texts = await Promise.all([
    ...families.map((family) => readTables(run, family)),
    read('nft', 'list', 'tables').then((tables) => readNftables(run, tables)),
    read('ipset', 'save'),
    isIpvsLoaded ? read('ipvsadm', '-Sn') : '',
    hasDevice ? read('ip', '-o', 'address', 'show', 'dev', 'kube-ipvs0') : '',
  ])
  const dump = parseDump(texts.flat().filter((text) => text !== ''))
  if (!dump.ok) throw new Error(`the rules of the node cannot be read: ${dump.problems[0]?.message}`)
  return dump.value
}

/** Returns the tables of iptables. */
async function readTables(run: RunTool, family: IpFamily): Promise<string> {
  const tool = family === 'IPv4' ? 'iptables-save' : 'ip6tables-save'
  try {
    const { status, stdout, stderr } = await run(tool, [])
    if (status !== 0) throw new Error(`${tool}: ${stderr.trim()}`)
    return addEmptyTables(tool, stdout)
  } catch (error) {
    if (isMissing(error)) return ''
    throw error
  }
}

/** Returns the tables of kube-proxy. nft fails for a table that does not exist. */
async function readNftables(run: RunTool, tables: string): Promise<readonly string[]> {
  const names = ['ip', 'ip6'].filter((family) => tables.includes(`table ${family} kube-proxy\n`))
  const texts = await Promise.all(names.map((family) => run('nft', ['list', 'table', family, 'kube-proxy'])))
  const failed = texts.find(({ status }) => status !== 0)
  if (failed !== undefined) throw new Error(`nft: ${failed.stderr.trim()}`)
  return texts.map(({ stdout }) => stdout)
}

/** Returns the first command with an output that lacks its permanent rule; undefined if every permanent rule exists. */
export async function findMissingRules(run: RunTool, result: CompileResult): Promise<string | undefined> {
  for (const { tool, args, expected } of createPermanentRuleChecks(result)) {
    const text = await outputOf(run, tool, ...args)
    if (!text?.includes(expected)) return [tool, ...args].join(' ')
  }
  return undefined
}
