import type { IpFamily } from '@kube-rules/types'
import type { CompileResult } from '../../src/compile.js'
import type { Backend } from '../../src/dataplane/iptables/print-save.js'
import type { Stage } from '../../src/dataplane/netfilter/stage.js'
import { render } from '../../src/render.js'
import { jumpText, tablesOf } from './real-inputs.js'
import { applyStages } from './world/apply-stages.js'
import { dumpAddresses, dumpSets, dumpTables } from './world/dump.js'
import { iptablesTools } from './world/tools.js'
import { type Run, succeeded } from './world/world.js'

// A node in the kernel. Its kernel may lack the module ip_vs: virtual servers are left out, see the virtual machine.

const IPVS_DEVICE = 'kube-ipvs0'

/** What results have something in: nothing else is looked at. */
export interface Scope {
  readonly families: readonly IpFamily[]
  readonly ipvs: boolean
}

export function scopeOf(results: readonly CompileResult[]): Scope {
  const families = new Set(results.flatMap((result) => result.families.map(({ family }) => family)))
  return { families: [...families], ipvs: results.some(({ mode }) => mode === 'ipvs') }
}

/** A bridge takes the place of the dummy device, which a kernel may lack. */
export async function prepareMachine(run: Run, { ipvs }: Scope): Promise<void> {
  if (ipvs) succeeded(await run(['ip', 'link', 'add', IPVS_DEVICE, 'type', 'bridge']))
}

export function runStages(run: Run, stages: readonly Stage[], backend: Backend): Promise<void> {
  const possible = stages.filter(({ tool }) => tool !== 'ipvsadm' && tool !== 'conntrack')
  return applyStages(run, possible, backend)
}

/** Loads the whole text, not by way of a plan. */
export async function loadWhole(run: Run, result: CompileResult, backend: Backend): Promise<void> {
  for (const { family } of result.families) {
    if (result.mode === 'ipvs') {
      succeeded(await run(['ipset', 'restore', '-exist'], render(result, { family, part: 'ipset' })))
      const addresses = render(result, { family, part: 'addresses' }).replace(/^link add .*\n/m, '')
      succeeded(await run(['ip', '-batch', '-'], addresses))
    }
    const rules = result.mode === 'ipvs' ? render(result, { family, part: 'iptables' }) : render(result, { family })
    const text = jumpText(tablesOf(result, family)) + rules
    succeeded(await run([iptablesTools(family, backend).restore, '--noflush'], text))
  }
}

export interface Dump {
  /** In the order of the families. */
  readonly tables: readonly string[]
  readonly sets: string
  readonly addresses: readonly string[]
}

export async function dumpMachine(run: Run, { families, ipvs }: Scope, backend: Backend): Promise<Dump> {
  const tables = await Promise.all(families.map((family) => dumpTables(run, family, backend)))
  if (!ipvs) return { tables, sets: '', addresses: [] }
  return { tables, sets: await dumpSets(run), addresses: await dumpAddresses(run, IPVS_DEVICE) }
}
