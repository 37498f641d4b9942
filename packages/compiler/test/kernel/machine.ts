import type { IpFamily } from '@kube-rules/types'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import type { ToolCommand } from '../../src/dataplane/netfilter/tool-command.js'
import type { IptablesBackend } from '../../src/dataplane/tool-options.js'
import { iptablesStates } from '../support/compiled.js'
import { printFamily } from '../support/print-family.js'
import { jumpText, kubeletText, tablesOf } from './real-inputs.js'
import { runToolCommands } from './sandbox/apply-runs.js'
import { dumpAddresses, dumpSets, dumpTables, dumpVirtualServers } from './sandbox/dump.js'
import { type CommandExecutor, succeeded } from './sandbox/sandbox.js'
import { iptablesTools } from './sandbox/tools.js'

// A node in a network namespace. If the kernel lacks the module ip_vs, the tests omit virtual servers; the virtual
// machine in vm/ has the module.

const IPVS_DEVICE = 'kube-ipvs0'

export interface Kernel {
  readonly hasIpvs: boolean
}

/** The families and subsystems to check: those that the results contain. */
export interface Scope extends Kernel {
  readonly families: readonly IpFamily[]
  readonly ipvs: boolean
  /** The chains of the kubelet to create, as text for iptables-restore. */
  readonly kubelet: ReadonlyMap<IpFamily, string>
}

export function scopeOf(results: readonly CompileResult[], kernel: Kernel): Scope {
  const families = new Set(results.flatMap((result) => result.families.map(({ family }) => family)))
  const kubelet = results.flatMap(iptablesStates).map((state) => [state.family, kubeletText(state)] as const)
  return {
    ...kernel,
    families: [...families],
    ipvs: results.some(({ mode }) => mode === 'ipvs'),
    kubelet: new Map(kubelet.filter(([, text]) => text !== '')),
  }
}

/** Creates the chains of the kubelet, and the device. Without ip_vs a bridge replaces the dummy device. With ip_vs the node needs an address first. */
export async function prepareMachine(
  run: CommandExecutor,
  { ipvs, hasIpvs, kubelet }: Scope,
  backend: IptablesBackend = 'nft',
): Promise<void> {
  for (const [family, text] of kubelet) {
    succeeded(await run([iptablesTools(family, backend).restore, '--noflush'], text))
  }
  if (!ipvs) return
  const device = hasIpvs ? 'dummy' : 'bridge'
  succeeded(await run(['ip', 'link', 'add', IPVS_DEVICE, 'type', device]))
  succeeded(await run(['ip', 'link', 'set', 'lo', 'up']))
}

/** Excludes conntrack, because other tests cover connection cleanup. */
export function applyPossible(
  run: CommandExecutor,
  commands: readonly ToolCommand[],
  { hasIpvs }: Kernel,
  backend: IptablesBackend,
): Promise<void> {
  const possible = commands.filter(({ tool }) => tool !== 'conntrack' && (hasIpvs || tool !== 'ipvsadm'))
  return runToolCommands(run, possible, backend)
}

/** Loads the complete text directly, without a script. */
export async function loadWhole(
  run: CommandExecutor,
  result: CompileResult,
  { hasIpvs }: Kernel,
  backend: IptablesBackend,
): Promise<void> {
  for (const { family } of result.families) {
    if (result.mode === 'ipvs') {
      succeeded(await run(['ipset', 'restore', '-exist'], printFamily(result, { family, subsystem: 'ipset' })))
      if (hasIpvs) succeeded(await run(['ipvsadm', '-R'], printFamily(result, { family, subsystem: 'ipvs' })))
      // The device already exists.
      const addresses = printFamily(result, { family, subsystem: 'addresses' }).replace(/^link add .*\n/m, '')
      succeeded(await run(['ip', '-batch', '-'], addresses))
    }
    const rules =
      result.mode === 'ipvs' ? printFamily(result, { family, subsystem: 'iptables' }) : printFamily(result, { family })
    const text = jumpText(tablesOf(result, family)) + rules
    succeeded(await run([iptablesTools(family, backend).restore, '--noflush'], text))
  }
}

export interface Dump {
  /** In the order of the families. */
  readonly tables: readonly string[]
  readonly sets: string
  readonly addresses: readonly string[]
  readonly virtualServers: readonly string[]
}

export async function dumpMachine(run: CommandExecutor, scope: Scope, backend: IptablesBackend): Promise<Dump> {
  const tables = await Promise.all(scope.families.map((family) => dumpTables(run, family, backend)))
  if (!scope.ipvs) return { tables, sets: '', addresses: [], virtualServers: [] }
  return {
    tables,
    sets: await dumpSets(run),
    addresses: await dumpAddresses(run, IPVS_DEVICE),
    virtualServers: scope.hasIpvs ? await dumpVirtualServers(run) : [],
  }
}
