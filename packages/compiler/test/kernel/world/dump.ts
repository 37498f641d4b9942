import type { IpFamily } from '@kube-rules/types'
import type { Backend } from '../../../src/dataplane/tool-options.js'
import { iptablesTools, withoutComments, withoutMadeUp } from './tools.js'
import { type Execute, succeeded } from './world.js'

// What a machine holds, in a form in which two machines with the same rules are equal, however they came to them.

/** The tables as `iptables-save` prints them, in order of name; without counters and those that hold nothing. */
export async function dumpTables(run: Execute, family: IpFamily, backend: Backend): Promise<string> {
  const text = await outputOf(run, [iptablesTools(family, backend).save])
  const tables = withoutCounters(withoutComments(text)).match(/^\*.*?^COMMIT\n/gms) ?? []
  return tables.filter(holdsSomething).sort().join('')
}

/** Packets of the machine itself count, too. */
function withoutCounters(text: string): string {
  return text.replace(/ \[\d+:\d+\]$/gm, '')
}

/** Rules, chains that are not built in, or a policy. */
function holdsSomething(table: string): boolean {
  return /^(-A|:\S+ (-|DROP))/m.test(table)
}

/** The sets as `ipset save` prints them, in order of name; without what depends on how they came about. */
export async function dumpSets(run: Execute): Promise<string> {
  const text = await outputOf(run, ['ipset', 'save'])
  const lines = withoutMadeUp(text).replace(/ hashsize \d+/g, '')
  return lines.split('\n').sort().join('\n')
}

/** The addresses of a device, sorted. */
export async function dumpAddresses(run: Execute, device: string): Promise<readonly string[]> {
  const text = await outputOf(run, ['ip', '-json', 'address', 'show', 'dev', device])
  const [found] = JSON.parse(text) as readonly [{ readonly addr_info: readonly { readonly local: string }[] }]
  return found.addr_info.map(({ local }) => local).sort()
}

/** The lines of `ipvsadm -Sn`, sorted: the kernel has an order of its own. */
export async function dumpVirtualServers(run: Execute): Promise<readonly string[]> {
  const text = await outputOf(run, ['ipvsadm', '-Sn'])
  return text.split('\n').filter(Boolean).sort()
}

async function outputOf(run: Execute, command: readonly string[]): Promise<string> {
  const ran = await run(command)
  succeeded(ran)
  return ran.stdout
}
